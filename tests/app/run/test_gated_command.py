import pytest

from ctxkit.app.run.gated_command import CommandLine


@pytest.mark.parametrize(
    ("command", "title", "masked", "words"),
    [
        (CommandLine(("ls", "a b")), "ls 'a b'", "ls 'a b'", ("ls", "a b")),
        (CommandLine(("x", "--token", "t")), "x --token t", "x --token ***", ("x", "--token", "t")),
        (
            CommandLine(("bash", "-c", "source s && eval 'git  log'"), "git  log --token=abcdef"),
            "git log --token=abcdef",
            "git  log --token=***",
            ("sh", "-c", "git  log --token=abcdef"),
        ),
    ],
)
def test_a_command_is_named_as_it_was_typed(command: CommandLine, title: str, masked: str, words: tuple[str, ...]) -> None:
    assert (command.title, command.masked_line, command.words) == (title, masked, words)


def test_a_title_is_short() -> None:
    assert len(CommandLine(("x" * 500,)).title) == 80
