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
    Row("cache show 3f9a2c81d0b4", 2, ("did you mean get?",)),
    Row("session delete s", 2, ("did you mean rm?",)),
    Row("snapshot show s", 2, ("did you mean load?",)),
    Row("init claude", 2, ("'claude' is not one of", "did you mean claude-code?")),
    Row("hook claude", 2, ("did you mean claude-code?",), (NOTHING,)),
    Row("turn --session s --to claude", 2, ("did you mean anthropic?",)),
    Row("count --encoding o200k", 2, ("did you mean --tokenizer?",)),
    Row("brief --max-tokens 300", 2, ("did you mean --target?",), (NOTHING,), LINES),
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
    Row("gate --colour --redact", 2, ("nothing passes, because of --redact",), (NOTHING,), SMALL),
    Row("gate --redcat", 2, ("did you mean --redact?", "nothing passes"), (NOTHING,), SMALL),
    Row("gate --no-stor", 2, ("nothing passes",), (NOTHING,), SMALL),
    Row("gate --never-store x", 2, ("nothing passes",), (NOTHING,), SMALL),
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
    Row("cache gc --max-age soon", 2, ("--max-age: 'soon' does not begin with a number",)),
    Row("events - --since soon", 2, ("--since: 'soon' is neither a duration such as 30m or 7d nor a time",)),
    Row("session new s --window 8192 --reserve 120%", 2, ("'120%' leaves nothing of the window",)),
    Row("session new s --window 1.5", 2, ("'1.5' is not a whole number such as 8000, 8k or 1M",)),
    Row("compact --trigger 120%", 2, ("--trigger: '120%' is not a share such as 0.8 or 80%",)),
    Row("compact --cache-read cheap", 2, ("--cache-read: 'cheap' is not a number from 0",)),
    Row("brief --target 3", 1, ("a target of 3 tokens is too small for a map of stdin",), (NOTHING,), LINES),
    Row("brief", 0, out=(NOTHING,)),
    Row("run --window 8k -- 'ls | wc -l'", 127, ("command not found", "ctxkit run -- sh -c 'ls | wc -l'"), (NOTHING,)),
    Row("cache get", 2, ("missing argument: REF|FILE", "ctxkit cache get --help"), (NOTHING,)),
    Row("gate absent.txt", 66, ("absent.txt: No such file or directory",), (NOTHING,), SMALL),
    Row("cache get abcdef0", 1, ("nothing is stored under abcdef0",), (NOTHING,)),
    Row("models show nothing", 1, ("unknown model: nothing",), (NOTHING,)),
    Row("models rm nothing", 1, ("your table has no model nothing",), (NOTHING,)),
    Row("gate --model nothing", 0, ("unknown model: nothing",), (WHOLE,), SMALL),
    Row("dedupe explain NOPE99", 2, ("NOPE99",), (NOTHING,)),
]
ROWS = [*HELP, *SYNONYMS, *PIPES, *VALUES]


def split(args: str) -> list[str]:
    """Return the words of a command line; single quotes hold words together."""
    parts = args.split("'")
    return [word for at, part in enumerate(parts) for word in ([part] if at % 2 else part.split())]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.args or "nothing")
def test_a_command_line_is_answered(row: Row, run: Run, home: dict[str, str]) -> None:
    ran = run(*split(row.args), stdin=row.stdin)
    assert ran.status == row.status, ran.err
    assert [words for words in row.err if words not in ran.err] == [], ran.err
    assert not row.status or ran.err.startswith("ctxkit: ") or row.status == 124, ran.err
    for words in row.out:
        if words in (WHOLE, NOTHING):
            assert ran.out == (row.stdin if words == WHOLE else b"")
        else:
            assert words in ran.out.decode()
    assert not Path(home["HOME"], "started").exists()


def test_there_are_sixty() -> None:
    assert len({row.args for row in ROWS}) == len(ROWS) >= 60


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
