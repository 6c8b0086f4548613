import pytest

from ctxkit.core.text.shell_commands import ShellCommand
from ctxkit.engines import shell_parser
from ctxkit.engines.shell_parser import list_script_commands, list_script_comments, parse_tree


@pytest.mark.parametrize(
    ("script", "commands"),
    [
        ("", []), ("# a comment", []), ("a b; c", [ShellCommand(("a", "b")), ShellCommand(("c",))]),
        ("a \"b c\" 'd e' $'f\\tg'", [ShellCommand(("a", "b c", "d e", "f\tg"))]),
        ("a \"$b\" c$d", [ShellCommand(("a", None, None))]), ("$a", [ShellCommand((None,))]),
        ("a | b", [ShellCommand(("a",)), ShellCommand(("b",), None)]), ("a < b", [ShellCommand(("a",), None)]),
        ("sh <<X\nls\nX\n", [ShellCommand(("sh",), "ls\n")]), ("A=$(b) c", [ShellCommand(("c",)), ShellCommand(("b",))]),
    ],
)  # fmt: skip
def test_commands_of_a_script(script: str, commands: list[ShellCommand]) -> None:
    assert list_script_commands(script) == commands


def test_a_script_of_too_many_nodes_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell_parser, "MAX_NODES", 10)
    assert list_script_commands("a; " * 20) is None


@pytest.mark.parametrize("script", ["$(" * 40_000, "(" * 40_000, "a " * 100_000, "\ud800 \0 x"])
def test_hostile_scripts_end(script: str) -> None:
    list_script_commands(script)


def test_comments_are_those_of_the_script() -> None:
    assert list_script_comments("a # one\necho '# two' \"# three\" x#four\ncat <<E\n# five\nE\nb #six") == ["# one", "#six"]
    assert list_script_comments("(" * 300_000 + "# x") == []


def test_a_tree_has_the_bytes_of_the_script() -> None:
    tree = parse_tree("echo \u4e00 | tail -1")
    assert tree is not None
    assert (tree.root_node.children[0].type, tree.root_node.end_byte) == ("pipeline", 18)
