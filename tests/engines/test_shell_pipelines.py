import pytest

from ctxkit.core.text.shell_commands import ShellCommand
from ctxkit.engines.shell_pipelines import list_pipelines


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
def test_hostile_scripts_end(script: str) -> None:
    list_pipelines(script)
