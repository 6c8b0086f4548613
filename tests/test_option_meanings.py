"""An option has one meaning in all commands: one form of its value, and one sentence or a meaning listed here."""

from collections import defaultdict
from collections.abc import Iterable

import click
import pytest

from tools.pages.tree import Verb, tree

MEANINGS: dict[str, tuple[str, frozenset[str]]] = {
    name: (meaning, frozenset(commands.split(", ")))
    for name, meaning, commands in (
        ("--all", "Work on all items, not only the usual ones.", "cache rm, cache search, snapshot list"),
        ("--by", "Unit of each row.", "count, edit list, events"),
        ("--check", "Only check; the exit status is 1 if the check fails.", "gate, compact, budget"),
        (
            "--dry-run",
            "Print what would change, and change nothing.",
            "cache rm, models rm, edit remove, edit summarize, models update, init, proxy",
        ),
        ("--explain", "Report how the output came about.", "brief, compact"),
        ("--files-from", "File that lists the input files.", "count, dedupe"),
        ("--focus", "Text that what comes first matches.", "gate, run, shell, brief, cache get"),
        (
            "--format",
            "Format of the conversation.",
            "count, compact, snapshot save, session append, edit list, edit remove, edit summarize, budget",
        ),
        ("--jobs", "Number of processes that work at the same time.", "count, brief, serve, proxy"),
        ("--limit", "Most tokens of one content.", "gate, run, shell, prompt build, proxy, mcp wrap"),
        ("--listen", "Address to listen on.", "serve, proxy"),
        ("--list", "Print the list that the command changes, and change nothing.", "trust, init"),
        ("--name", "Name of the content.", "gate, run, shell, brief, truncate, cache put"),
        ("--note", "Length of the note on the window for the model.", "budget, turn"),
        ("--plot", "File for a chart of the totals, as .svg or .html.", "budget, events"),
        ("--remove", "Undo what the command does.", "trust, init"),
        ("--scratchpad", "Notes of the current turn.", "prompt build, prompt lint, turn"),
        ("--yes", "Do not ask before a change.", "cache rm, trust, init, doctor"),
        (
            "--session",
            "Session that the command reads or changes.",
            "gate, run, shell, brief, cache get, cache search, compact, budget, tools select, tools search, call, turn, "
            "mcp, mcp wrap, edit remove, edit summarize, edit restore, usage, events",
        ),
        ("--since", "Show only items since a time.", "session history, events"),
        ("--skills", "File with the prompt of a skill.", "budget, prompt build, prompt lint, turn"),
        ("--status-file", "File of text that changes every turn.", "prompt build, prompt lint, turn"),
        (
            "--strict",
            "Fail instead of warning.",
            "gate, run, shell, truncate, compact, prompt build, call, turn, mcp, mcp wrap, session append, "
            "snapshot save, proxy",
        ),
        ("--suggest", "Suggest what would help, and change nothing.", "edit list, events"),
        ("--summarizer", "Program or model that writes the summary.", "compact, turn, snapshot promote, proxy"),
        ("--system", "File of the system prompt.", "budget, turn"),
        ("--target", "Maximum number of tokens of the output.", "brief, cache get"),
        ("--timeout", "Longest time to wait.", "run, proxy"),
        ("--to", "API whose form the output has.", "prompt build, turn, tools builtin"),
        ("--token-file", "File with the token that requests carry.", "serve, proxy"),
        ("--tool", "Tool that returned the content.", "cache put, cache search"),
        ("--tools", "File with definitions of tools.", "budget, call, turn"),
        (
            "--used",
            "Number of tokens in context.",
            "count, gate, run, shell, brief, cache get, compact, session new, session reset, budget, tools select, call, "
            "mcp, mcp wrap",
        ),
    )
}
"""For each option whose help differs between commands: what it means in all of them, and these commands.

A command that gives the option another sentence belongs in its row only if the meaning of the row is true of it.
"""
ANY_COMMAND = {"--json": "Print JSON; the help says which shape of it."}
"""Options whose help differs, and whose meaning is the same in any command."""
EXCEPTIONS: dict[str, str] = {}
"""Options with several meanings, each with the reason. There are none."""


def list_uses() -> dict[str, list[tuple[str, click.Option]]]:
    """Return the commands and their options by each spelling."""
    uses: dict[str, list[tuple[str, click.Option]]] = defaultdict(list)
    for verb in tree().walk():
        for option in verb.options:
            for name in (*option.opts, *option.secondary_opts):
                uses[name].append((verb.name.removeprefix("ctxkit "), option))
    return uses


def describe_value(option: click.Option) -> tuple[object, ...]:
    """Return what an option takes: nothing, one of some words, or a value with a name; and whether it repeats."""
    takes = "flag" if option.is_flag else "word" if isinstance(option.type, click.Choice) else option.metavar
    return takes, option.multiple


def read_meaning(option: click.Option) -> str:
    """Return the help of an option without its default."""
    return (option.help or "").partition("  [")[0]


def find_conflicts(uses: dict[str, list[tuple[str, click.Option]]]) -> Iterable[str]:
    """Yield a line for each spelling with several forms of its value, or with unlisted meanings."""
    for name, commands in uses.items():
        if len({describe_value(option) for _, option in commands}) > 1:
            yield f"{name} takes several forms of values: {[(verb, describe_value(option)) for verb, option in commands]}"
        long_names = {option.opts[-1] for _, option in commands}
        if len(long_names) > 1:
            yield f"{name} is short for {sorted(long_names)}"
        listed = MEANINGS.get(name, ("", frozenset[str]()))[1]
        unlisted = {verb for verb, _ in commands} - listed
        texts = {read_meaning(option) for verb, option in commands if verb in unlisted}
        if name.startswith("--") and name not in ANY_COMMAND and (len(texts) > 1 or (listed and unlisted)):
            yield f"{name} has several meanings: {sorted(unlisted)}"


USES = list_uses()


def test_each_option_has_one_meaning() -> None:
    assert [line for line in find_conflicts(USES) if line.split()[0] not in EXCEPTIONS] == []


def test_the_tables_name_only_options_whose_help_differs_and_their_commands() -> None:
    for name, (meaning, commands) in MEANINGS.items():
        assert meaning.endswith(".")
        assert len({read_meaning(option) for _, option in USES[name]}) > 1, name
        assert commands <= {verb for verb, _ in USES[name]}, name
    assert {*ANY_COMMAND, *EXCEPTIONS} <= USES.keys()


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (["-s", "--status"], ["-s", "--state"], "-s is short for ['--state', '--status']"),
        ({"metavar": "N"}, {"metavar": "FILE"}, "--x takes several forms of values"),
        ({"is_flag": True}, {"metavar": "N"}, "--x takes several forms of values"),
        ({"multiple": True}, {}, "--x takes several forms of values"),
        ({"help": "Print at most N tools."}, {"help": "Admit at most N tokens."}, "--x has several meanings"),
    ],
)
def test_a_conflict_is_reported(first, second, message: str) -> None:
    both = [click.Option(made) if isinstance(made, list) else click.Option(["--x"], **made) for made in (first, second)]
    uses: dict[str, list[tuple[str, click.Option]]] = defaultdict(list)
    for verb, option in zip(("one", "two"), both, strict=True):
        for name in option.opts:
            uses[name].append((verb, option))
    assert message in "\n".join(find_conflicts(uses))


def test_arguments_that_name_a_session_are_called_session() -> None:
    verbs: list[Verb] = [verb for verb in tree().walk() if verb.name.startswith(("ctxkit session", "ctxkit snapshot"))]
    names = {argument.metavar for verb in verbs for argument in verb.arguments if argument.name in ("name", "names")}
    assert {name.strip("[].") for name in names if name} == {"SESSION"}
