import json

import pytest

pytest.importorskip("bench.lint", reason="the benches are in the repository alone")

from bench.lint.desk import Plant
from bench.lint.findings import Finding, LinterError, parse
from bench.lint.loads import loads
from bench.lint.scoring import hit, mistaken

PAIR = Plant("p", "exact", "across files", ("DUP002",), where=[("A.md", 3, 3), ("B.md", 7, 7)])
HARD = Plant("h", "hard", "number", (), ("DUP002",), where=[("A.md", 3, 3), ("B.md", 7, 7)])


def finding(*spans, code="DUP002", **rest):
    return Finding(code, spans, **rest)


def test_a_pair_is_found_when_one_finding_has_both_places() -> None:
    assert hit(PAIR, [finding(("A.md", 3, 3), ("B.md", 7, 7))]) == 1
    assert hit(PAIR, [finding(("A.md", 3, 3)), finding(("B.md", 7, 7))]) is None
    assert hit(PAIR, [finding(("A.md", 3, 3), ("B.md", 8, 8))]) is None
    assert hit(PAIR, [finding(("A.md", 3, 3), ("B.md", 7, 7), code="DUP006")]) is None


def test_lines_that_are_too_many_are_shared_less() -> None:
    assert hit(PAIR, [finding(("A.md", 3, 4), ("B.md", 7, 7))]) == 0.75


def test_what_looks_alike_is_a_mistake_only_as_a_pair_of_about_its_size() -> None:
    assert mistaken(HARD, finding(("A.md", 3, 3), ("B.md", 7, 7)))
    assert not mistaken(HARD, finding(("A.md", 3, 3), ("C.md", 7, 7)))
    assert not mistaken(HARD, finding(("A.md", 1, 30), ("B.md", 1, 30)))
    assert not mistaken(HARD, finding(("A.md", 3, 3), ("B.md", 7, 7), code="CON001"))


def test_copies_that_no_agent_loads_together_may_be_told_of_as_no_waste() -> None:
    apart = Plant("a", "apart", "", (), ("DUP",), where=[("A.md", 3, 3), ("B.md", 7, 7)])
    assert mistaken(apart, finding(("A.md", 3, 3), ("B.md", 7, 7), tokens=9))
    assert not mistaken(apart, finding(("A.md", 3, 3), ("B.md", 7, 7), tokens=0))


def test_json_is_read_with_paths_below_the_workspace() -> None:
    row = {"code": "DUP001", "path": "/w/A.md", "line": 2, "end_line": 2, "related": [{"path": "./B.md", "line": 4}]}
    assert parse(json.dumps([row]).encode(), "/w")[0].spans == (("A.md", 2, 2), ("B.md", 4, 4))
    with pytest.raises(LinterError):
        parse(b"nothing", "/w")


def test_agents_load_from_the_root_down_and_what_is_imported() -> None:
    def together(sets: dict[str, frozenset[str]], one: str, other: str) -> bool:
        return any({one, other} <= paths for paths in sets.values())

    files = {"AGENTS.md": "", "a/AGENTS.md": "", "b/AGENTS.md": "", "CLAUDE.md": "@AGENTS.md\n", ".clinerules": ""}
    sets = loads(files)
    assert together(sets, "AGENTS.md", "a/AGENTS.md")
    assert not together(sets, "a/AGENTS.md", "b/AGENTS.md")
    assert together(sets, "CLAUDE.md", "AGENTS.md")
    assert not together(sets, "CLAUDE.md", ".clinerules")
    persona = loads({"SOUL.md": "", "AGENTS.md": "", "x/SOUL.md": "", "x/USER.md": ""})
    assert together(persona, "SOUL.md", "AGENTS.md")
    assert not together(persona, "SOUL.md", "x/SOUL.md")
