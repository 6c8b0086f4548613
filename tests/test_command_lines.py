"""Wrong and unusual command lines: what each prints, says and returns."""

from pathlib import Path
from typing import NamedTuple

import click
import pytest

from ctxkit.core.text.quantity import parse_number
from tests.conftest import Run
from tools.pages.tree import tree

LINES = b"".join(b"line %d\n" % number for number in range(1, 3001))
"""About 12,000 tokens: more than the windows below."""
SMALL = b"a line\n"
WHOLE, NOTHING = "<all of stdin>", "<nothing>"


class Row(NamedTuple):
    """A command line, its stdin, and what is expected: the status, words on stderr and words on stdout."""

    args: str
    status: int
    err: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    stdin: bytes = b""


HELP = [
    Row("", 0, out=("Usage: ctxkit", "Everyday commands:", "Hosts:")),
    Row("help", 0, out=("Usage: ctxkit", "Everyday commands:")),
    Row("help gate", 0, out=("Usage: ctxkit gate", "Window:", "Map:", "Storage:", "Output:")),
    Row("help cache rm", 0, out=("Usage: ctxkit cache rm",)),
    Row("help nothing", 2, ("no such command: nothing", "ctxkit --help"), (NOTHING,)),
    Row("cache", 0, out=("Usage: ctxkit cache", "search")),
    Row("-V", 0, out=("ctxkit 0.",)),
    Row("cache get -V", 0, out=("ctxkit 0.",)),
    Row("-q models list qwen3-30b", 0, out=("qwen3-30b",)),
    Row("hook --help", 0, out=("plumbing",)),
    Row("completion bash", 0, out=("complete -F _ctxkit ctxkit",)),
    Row("completion zsh", 0, out=("#compdef ctxkit",)),
    Row("completion fish", 0, out=("complete -c ctxkit",)),
    Row("completion powershell", 2, ("SHELL: 'powershell' is not one of bash, zsh, fish",), (NOTHING,)),
    Row("completion", 2, ("missing argument: SHELL (one of bash, zsh, fish)",), (NOTHING,)),
    Row("-q", 2, ("ctxkit: missing command\n", "ctxkit --help"), (NOTHING,)),
    Row("help cache get", 0, out=("Usage: ctxkit cache get",)),
]
SYNONYMS = [
    Row("lint .", 2, ("no such command: lint; did you mean dedupe?",)),
    Row("map README.md", 2, ("did you mean brief?",)),
    Row("summarize x", 2, ("did you mean brief?",)),
    Row("stats", 2, ("did you mean events?",)),
    Row("gain", 2, ("did you mean events?",)),
    Row("update", 2, ("did you mean models update?",)),
    Row("uninstall claude-code", 2, ("did you mean init HOST --remove?",)),
    Row("halp", 2, ("did you mean help?",)),
    Row("cache clear", 2, ("did you mean rm?",)),
    Row("cache show 3f9a2c81d0b47e65", 2, ("did you mean get?",)),
    Row("session delete s", 2, ("did you mean rm?",)),
    Row("snapshot show s", 2, ("did you mean load?",)),
    Row("init claude", 2, ("'claude' is not one of", "did you mean claude-code?")),
    Row("hook claude", 2, ("did you mean claude-code?",), (NOTHING,)),
    Row("turn --session s --to claude", 2, ("did you mean anthropic?",)),
    Row("count --encoding o200k", 2, ("did you mean --tokenizer?",)),
    Row("brief --max-tokens 300", 2, ("did you mean --target?",), (NOTHING,), LINES),
    Row("mcp --bogus", 2, ("no such option: --bogus\n",), (NOTHING,)),
    Row("compact --target 300", 2, ("no such option: --target\n",), (NOTHING,)),
]
PIPES = [
    Row("gate --max-tokens 2000", 2, ("did you mean --limit?", "stdin goes through gate"), (WHOLE,), SMALL),
    Row("gate --window 2000 --max-tokens 2000", 2, ("no such option",), ("a map, not the content",), LINES),
    Row("gate --max-tokens=2000 --window 2k", 2, ("no such option",), ("a map, not the content",), LINES),
    Row("gate --window abc", 2, ("--window: 'abc' is not a whole number",), (WHOLE,), SMALL),
    Row("gate --window", 2, ("--window needs a value",), (WHOLE,), SMALL),
    Row("gate --limit --window 2000", 2, ("--limit: '--window'",), ("a map, not the content",), LINES),
    Row("gate one two", 2, ("unexpected argument: two",), (WHOLE,), SMALL),
    Row("gate --json=1 --window 2000", 2, ("--json takes no value",), ("a map, not the content",), LINES),
    Row("gate --tokenizer nothing", 2, ("unknown tokenizer: nothing",), (WHOLE,), SMALL),
    Row("gate --tokenizer ./absent.json", 66, ("absent.json: No such file",), (WHOLE,), SMALL),
    Row("gate --type nothing --window 2000", 2, ("unknown type: nothing",), ("a map, not the content",), LINES),
    Row("gate --reserve 120% --window 2000", 2, ("--reserve: '120%' leaves nothing",), ("a map,",), LINES),
    Row("gate --host claude --window 2000", 2, ("did you mean claude-code?",), ("a map,",), LINES),
    Row("gate -x", 2, ("no such option: -x",), (WHOLE,), SMALL),
    Row("gate --store bogus://h", 2, ("--store: 'bogus://h' is not the URL of a store",), (WHOLE,), SMALL),
    Row("gate --store redis://u:hunter2x@h:99999", 2, ("--store: 'redis://u:***@h:99999' is not",), (WHOLE,), SMALL),
    Row("gate --model absent.gguf", 0, ("unknown model, and no such file: absent.gguf",), (WHOLE,), SMALL),
    Row("gate --colour --redact", 2, ("nothing passes, because of --redact",), (NOTHING,), SMALL),
    Row("gate --redcat", 2, ("did you mean --redact?", "nothing passes"), (NOTHING,), SMALL),
    Row("gate --no-stor", 2, ("nothing passes",), (NOTHING,), SMALL),
    Row("gate --never-store x", 2, ("nothing passes",), (NOTHING,), SMALL),
    Row("gate --dont-store", 2, ("did you mean --no-store?", "nothing passes"), (NOTHING,), SMALL),
    Row("gate --with-redaction", 2, ("nothing passes",), (NOTHING,), SMALL),
    Row("gate --window 2k --colour", 2, ("stdin goes through gate",), ("a map, not the content",), LINES),
    Row("gate --stirct", 2, ("nothing passes",), (NOTHING,), SMALL),
    Row("gate --strict --model nothing", 2, ("unknown model",), (NOTHING,), SMALL),
    Row("gate --check --max-tokens 5", 2, ("nothing passes",), (NOTHING,), SMALL),
    Row("truncate --max-token 100", 2, ("did you mean --max-tokens?",), (WHOLE,), SMALL),
    Row("truncate --max-lines 5 --bogus", 2, ("no such option",), ("line 3000", "are not shown"), LINES),
    Row("truncate --head --tail", 2, ("--tail and --head cannot be combined",), (WHOLE,), SMALL),
    Row("truncate --redacted", 2, ("nothing passes",), (NOTHING,), SMALL),
    Row("run --max-tokens 5 -- touch started", 2, ("did you mean --limit?",), (NOTHING,)),
]
VALUES = [
    Row("gate --window 8k", 0, out=(WHOLE,), stdin=SMALL),
    Row("gate --window 1M --used 128k", 0, out=(WHOLE,), stdin=SMALL),
    Row("gate --window 128k --reserve 8k", 0, out=(WHOLE,), stdin=SMALL),
    Row("gate --window 2k --limit 0.5k", 0, out=("a map, not the content",), stdin=LINES),
    Row("run --timeout 100ms -- sleep 5", 124),
    Row("run --timeout 3y -- true", 2, ("--timeout: '3y' is not a duration such as 500ms",), (NOTHING,)),
    Row("run --timeout -1s -- true", 2, ("--timeout: '-1s' is not a duration such as 500ms",), (NOTHING,)),
    Row("cache gc --max-age soon", 2, ("--max-age: 'soon' is not a duration such as 500ms",)),
    Row("cache gc --max-size big", 2, ("--max-size: 'big' is not a size such as 500KB",)),
    Row("events - --since soon", 2, ("--since: 'soon' is neither a duration such as 30m or 7d nor a time",)),
    Row("session new s --window 8192 --reserve 120%", 2, ("'120%' leaves nothing of the window",)),
    Row("session new s --window 1.5", 2, ("'1.5' is not a whole number such as 8000, 8k or 1M",)),
    Row("compact --trigger 120%", 2, ("--trigger: '120%' is not a share such as 0.8 or 80%",)),
    Row("compact --cache-read cheap", 2, ("--cache-read: 'cheap' is not a number from 0",)),
    Row("brief --target 3", 1, ("a target of 3 tokens is too small for a map of stdin",), (NOTHING,), LINES),
    Row("brief", 0, out=(NOTHING,)),
    Row("run --window 8k -- 'ls | wc -l'", 127, ("command not found", "ctxkit run -- sh -c 'ls | wc -l'"), (NOTHING,)),
    Row("run -- cd /etc", 127, ("only a shell knows cd: ctxkit run -- sh -c 'cd /etc'",), (NOTHING,)),
    Row("run -- A=1 ls", 127, ("only a shell knows A: ctxkit run -- sh -c 'A=1 ls'",), (NOTHING,)),
    Row("cache get", 2, ("missing argument: REF|FILE", "ctxkit cache get --help"), (NOTHING,)),
    Row("gate absent.txt", 66, ("absent.txt: No such file or directory",), (NOTHING,), SMALL),
    Row("cache get abcdef0", 1, ("nothing is stored under abcdef0",), (NOTHING,)),
    Row("models show nothing", 1, ("unknown model: nothing",), (NOTHING,)),
    Row("models rm nothing", 1, ("your table has no model nothing",), (NOTHING,)),
    Row("gate --model nothing", 0, ("unknown model: nothing",), (WHOLE,), SMALL),
    Row("dedupe explain NOPE99", 2, ("NOPE99",), (NOTHING,)),
    Row("dedupe explain DUP01", 2, ("no rule is called DUP01; did you mean DUP001?",), (NOTHING,)),
    Row("dedupe --select dup00x .", 2, ("did you mean DUP00",), (NOTHING,)),
]
RECORDS = b'{"id": "a", "log": {"text": "hello"}}\n\n{"id": 2, "log": {"text": 5}}\n'
COMMANDS = [
    Row("cache search --limit 1 x", 1, ("warning: --limit is now --max-results",), (NOTHING,)),
    Row("cache search -n 1 x", 1, ("warning: -n is now --max-results",), (NOTHING,)),
    Row("count -l", 0, ("warning: -l is now --long",), ("1 7 exact text",), SMALL),
    Row("tools builtin --format openai read_result", 0, ("--format is now --to",), ('"read_result"',)),
    Row("turn --session s --status absent.json", 66, ("--status is now --status-file", "absent.json"), (NOTHING,)),
    Row("statusline --prompt", 0, ("--prompt is now --show-prompt",)),
    Row("models update -n", 2, ("-n is now --dry-run", "missing argument: FILE"), (NOTHING,)),
    Row("completion bsh", 2, ("did you mean bash?",), (NOTHING,)),
    Row("completion bash extra", 2, ("unexpected argument: extra",), (NOTHING,)),
    Row("count --each --field .log.text --id .id", 65, (), ('"id":"a","tokens":1,', "an empty line", "a number"), RECORDS),
    Row("gate --each --field log.text --id id", 65, (), ('"id":"a","result":"raw"', '"id":2,"error"'), RECORDS),
    Row("brief --each --id none", 65, (), ('"error":"the record has no field none"',), RECORDS),
    Row("count --id id", 2, ("--id is for --each",), (NOTHING,), SMALL),
    Row("count --field log", 2, ("--field is for --each",), (NOTHING,), SMALL),
    Row("cache rm --all", 2, ("--all needs --yes if stdin is not a terminal", "--dry-run"), (NOTHING,), b"y\n"),
    Row("cache rm --all --dry-run", 0, out=("nothing is stored",)),
    Row("cache rm --all abcdef0", 2, ("name the refs to remove, or --all",), (NOTHING,)),
    Row("cache rm 4588", 1, ("4588 is not a ref", "at least 6 hex digits"), (NOTHING,)),
    Row("session reset s", 2, ("missing option: --used N", "ctxkit session reset s --used 1200"), (NOTHING,)),
    Row("session reset s --used 5", 1, ("no session s",), (NOTHING,)),
    Row("session reset s --used x", 2, ("--used: 'x' is not a whole number",), (NOTHING,)),
    Row("cache get abcdef0 --context 2", 2, ("--context is now --context-lines", "--context-lines needs --grep")),
    Row("turn --session s --exit-status x", 2, ("--exit-status",), (NOTHING,)),
    Row("init", 2, ("missing argument: HOST", "HOST is one of claude-code, cline"), (NOTHING,)),
    Row("serve --print-unit", 2, ("--print-unit needs a value",), (NOTHING,)),
    Row("serve --print-unit upstart", 2, ("'upstart' is not one of systemd",), (NOTHING,)),
    Row("serve --print-unit systemd", 0, out=("[Unit]",)),
]
SETTINGS = [
    ("CTXKIT_RESERVE", "120%", "CTXKIT_RESERVE: reserve: '120%' leaves nothing of the window"),
    ("CTXKIT_TOKENIZER", "nothing", "CTXKIT_TOKENIZER: tokenizer: unknown tokenizer: nothing"),
    ("CTXKIT_CACHE_MAX_AGE", "soon", "cache_max_age = 'soon' is not a duration such as 500ms"),
    ("CTXKIT_STORE", "bogus://x", "store = 'bogus://x' is not the URL of a store"),
    ("CTXKIT_SESSION", "../x", "'../x' is not the name of a session"),
    ("CTXKIT_BOGUS", "1", "unknown variable"),
]
"""Variables that doctor finds wrong: the name, the value and the message."""
ROWS = [*HELP, *SYNONYMS, *PIPES, *VALUES, *COMMANDS]


def split(args: str) -> list[str]:
    """Return the words of a command line; single quotes hold words together."""
    parts = args.split("'")
    return [word for at, part in enumerate(parts) for word in ([part] if at % 2 else part.split())]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.args or "nothing")
def test_a_command_line_is_answered(row: Row, run: Run, home: dict[str, str]) -> None:
    ran = run(*split(row.args), stdin=row.stdin)
    assert ran.status == row.status, ran.err
    assert [words for words in row.err if words not in ran.err] == [], ran.err
    assert row.status in (0, 124) or ran.err.startswith("ctxkit: ") or "--each" in row.args, ran.err
    for words in row.out:
        if words in (WHOLE, NOTHING):
            assert ran.out == (row.stdin if words == WHOLE else b"")
        else:
            assert words in ran.out.decode()
    assert not Path(home["HOME"], "started").exists()


def test_each_row_is_another() -> None:
    assert len({row.args for row in ROWS}) == len(ROWS) >= 100


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value", "message"), SETTINGS)
def test_doctor_finds_a_wrong_variable(name: str, value: str, message: str, run: Run) -> None:
    ran = run("doctor", env={name: value})
    assert (ran.status, message in ran.out.decode()) == (1, True), ran.out.decode()


def test_an_empty_pipe_is_not_stored(run: Run) -> None:
    for command in ("brief", "gate", "truncate"):
        run(command, stdin=b"")
    run("brief", "--json", stdin=b"")
    assert run("cache", "list").out == b""


def test_an_unknown_model_on_the_command_line_is_warned_of_each_time(run: Run) -> None:
    assert ["unheard-of" in run("gate", "--model", "unheard-of", stdin=SMALL).err for _ in range(2)] == [True, True]
    env = {"CTXKIT_MODEL": "unheard-of"}
    assert ["unheard-of" in run("gate", stdin=SMALL, env=env).err for _ in range(2)] == [True, False]


@pytest.mark.parametrize("name", ["--window", "--limit", "--used", "--target", "--max-tokens", "--keep-recent", "--page-tokens"])
def test_each_number_of_tokens_may_have_a_unit(name: str) -> None:
    options = [option for verb in tree().walk() for option in verb.options if name in option.opts]
    assert options
    assert [option.type.convert("8k", option, None) for option in options] == [parse_number("8k")] * len(options)


def test_each_whole_number_may_have_a_unit_and_each_error_quotes_the_value() -> None:
    numbers = [option for verb in tree().walk() for option in verb.options if not option.is_flag and option.metavar == "N"]
    assert len(numbers) > 20
    for option in numbers:
        with pytest.raises(click.BadParameter, match="'x8' is not a whole number such as 8000, 8k or 1M"):
            option.type.convert("x8", option, None)
