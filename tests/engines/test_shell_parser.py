import pytest

from ctxkit.core.text.shell_commands import ShellCommand
from ctxkit.engines import shell_parser
from ctxkit.engines.shell_parser import list_pipelines, list_script_commands, list_script_comments, parse_tree


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


@pytest.mark.parametrize(
    ("script", "texts"),
    [
        ("a | b", ["a | b"]),
        ("a | b; c | d\ne | f # g", ["a | b", "c | d", "e | f"]),
        ("cd x && a 2>&1 | b 2>&1 || c > d | e > f", ["a 2>&1 | b 2>&1", "c > d | e > f"]),
        ("x=1 a |& b | c", ["x=1 a |& b | c"]),
        ("(a; b) | c && { d; } | e", ["(a; b) | c", "{ d; } | e"]),
        ("a | b & c | d", ["c | d"]),
        ("a; b & c | d", ["c | d"]),
        ("a | b < c; ! a | b; time a | b; a | (b)", []),
        ("if a | b; then c | d; fi; f() { a | b; }; (a | b); $(a | b); `a | b`", []),
        ("a <<E | b\nE\nc | d", ["c | d"]),
        ("a | b )", []),
        ("", []),
        ("\u4e00 | b", ["\u4e00 | b"]),
        ("\ud800 | b", []),
    ],
)
def test_pipelines_of_the_top_level(script: str, texts: list[str]) -> None:
    data = script.encode("utf-8", "replace")
    assert [data[pipeline.start : pipeline.end].decode() for pipeline in list_pipelines(script)] == texts


def test_members_have_their_texts_and_programs() -> None:
    (pipeline,) = list_pipelines("A=1 /bin/make -k 2>&1 | (b) | tail -n '3' >c")
    assert pipeline.members == ("A=1 /bin/make -k", "(b)", "tail -n '3'")
    assert pipeline.programs == ("make", "", "tail")
    assert pipeline.last == ShellCommand(("tail", "-n", "3"), None)


@pytest.mark.parametrize("script", ["$(" * 40_000 + "| a", "a && " * 30_000 + "b | c", "a | " * 30_000 + "b", "a | b\n" * 20_000])
def test_hostile_scripts_end_of_shell_pipelines(script: str) -> None:
    list_pipelines(script)
