import io
import json
from types import SimpleNamespace
from typing import Any

import pytest

from ctxkit.app.services.engines import parse_script
from ctxkit.edge.bypass import find_bypass, is_disabled, pass_content


def settings(**lists: list[str]) -> Any:
    return {"exclude": [], "include": [], "never_store": [], **lists}


@pytest.mark.parametrize(("value", "is_off"), [("1", True), ("yes", True), ("0", False), ("FALSE", False), ("", False)])
def test_a_variable_turns_the_gate_off(monkeypatch: pytest.MonkeyPatch, value: str, is_off: bool) -> None:
    monkeypatch.setenv("CTXKIT_DISABLE", value)
    assert is_disabled() is is_off


@pytest.mark.parametrize(
    ("lists", "words", "reason"),
    [
        ({}, "git diff", ""),
        ({"exclude": ["git diff"]}, "git diff --stat", "exclude names the command: its output passes"),
        ({"exclude": ["git diff"]}, "git log", ""),
        ({"include": ["make"]}, "git log", "include does not name the command: its output passes"),
        ({"include": ["make"]}, "make test", ""),
        ({"include": ["make"], "exclude": ["make"]}, "make", "exclude names the command: its output passes"),
        ({"never_store": ["pass"]}, "pass x", "never_store names the command: its output passes and is not stored"),
    ],
)
def test_lists_choose_commands(lists: dict[str, list[str]], words: str, reason: str) -> None:
    assert find_bypass(settings(**lists), words.split(), parse_script) == reason


def test_content_passes_as_it_is_or_as_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    stdout = io.BytesIO()
    monkeypatch.setattr("sys.stdout", SimpleNamespace(buffer=stdout))
    pass_content([b"a\n", b"b"], as_json=False)
    assert stdout.getvalue() == b"a\nb"
    pass_content([b"a"], as_json=True, extra_facts=lambda: {"exit": 3})
    value = {"result": "raw", "tokens": None, "method": None, "exit": 3, "content": "a"}
    assert json.loads(stdout.getvalue()[3:]) == value
