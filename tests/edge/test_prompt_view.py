"""Prompts read back, and what differs in words; tests/commands/prompt runs the commands."""

import json
from pathlib import Path

import pytest

from ctxkit.core.prompt import VolatileText
from ctxkit.edge import prompt_view
from ctxkit.edge.prompt_view import PromptText


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("Be careful.\n", PromptText("Be careful.\n")),
        ('{"prompt":"a","breakpoints":[{"characters":1}]}', PromptText("a", (1,))),
        ('{"prompt":"a","breakpoints":[]}', PromptText("a", ())),
        ('{"prompt":"a"}', PromptText('{"prompt":"a"}')),
        ('{"prompt": broken', PromptText('{"prompt": broken')),
    ],
)
def test_a_built_prompt_has_breakpoints(tmp_path: Path, text: str, prompt: PromptText) -> None:
    (tmp_path / "prompt").write_text(text)
    assert prompt_view.read_prompt(str(tmp_path / "prompt")) == prompt


@pytest.mark.parametrize(
    ("model", "provider"),
    [("claude-opus-5", "anthropic"), ("openai/gpt-5", "openai"), ("gpt-oss-20b", ""), ("qwen3-30b", ""), ("", "")],
)
def test_a_model_has_the_rules_of_its_provider(model: str, provider: str) -> None:
    assert prompt_view.find_provider(model) == provider


def test_a_finding_names_the_file_of_its_section() -> None:
    finding = VolatileText("date", "base", 3, 4, "2026-11-22")
    assert prompt_view.format_finding(finding, {}) == "base:3:4: date: 2026-11-22\n"
    assert prompt_view.format_finding(finding, {"base": "p.md"}) == "p.md:3:4: date: 2026-11-22\n"
    assert json.loads(prompt_view.encode_finding(finding)) == finding._asdict()


def test_a_difference_is_quoted() -> None:
    facts = {
        "same": False, "token": 1200, "line": 3, "old": 'a"b', "new": "c", "cached_tokens": 1, "rewritten_tokens": 2,
        "cost_ratio": 8.3333,
    }  # fmt: skip
    assert prompt_view.format_difference(facts) == (
        'token 1,200 differs first, on line 3\n- "a\\"b"\n+ "c"\n1 token stay cached, 2 tokens are written again\n'
        "cost: 8.33 times that of an unchanged prompt\n"
    )
    assert json.dumps(facts)
