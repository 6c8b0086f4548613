import pytest

from ctxkit.registry import SECTIONS, VERBS
from tests.conftest import Run


@pytest.mark.parametrize("words", [(), ("gate",), ("cache",), ("cache", "get"), ("help",)])
def test_it_is_the_help_of_the_command(run: Run, words) -> None:
    assert run("help", *words) == run(*words, "--help")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("gaet",), "ctxkit: no such command: gaet; did you mean gate?\n  hint: ctxkit --help\n"),
        (("cache", "show"), "ctxkit: no such command: show; did you mean get?\n  hint: ctxkit cache --help\n"),
        (("gate", "x"), "ctxkit: ctxkit gate has no subcommands: x\n  hint: ctxkit gate --help\n"),
    ],
)
def test_an_unknown_command_is_an_error(run: Run, words, message: str) -> None:
    ran = run("help", *words)
    assert (ran.status, ran.out, ran.err) == (2, b"", message)


def test_each_command_is_in_one_section(run: Run) -> None:
    assert sorted(name for names in SECTIONS.values() for name in names.split()) == sorted(VERBS)
    text = run("--help").out.decode()
    assert [text.index(f"{title}:") for title in SECTIONS] == sorted(text.index(f"{title}:") for title in SECTIONS)
