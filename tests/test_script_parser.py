from ctxkit.core.text.shell_commands import ShellCommand
from ctxkit.script_parser import list_comments, parse_script


def test_commands_are_listed_with_their_words_and_their_input() -> None:
    assert parse_script("A=1 c'a't \\\"x\\\" $y | sh <<< 'ls' >out") == [
        ShellCommand(("cat", '"x"', None)),
        ShellCommand(("sh",), "ls"),
    ]


def test_comments_are_listed_as_they_stand() -> None:
    assert list_comments("make '# no' # focus: x\n# y") == ["# focus: x", "# y"]
