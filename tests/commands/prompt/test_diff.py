"""ctxkit prompt diff."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run


@pytest.fixture
def prompts(tmp_path: Path):
    (tmp_path / "old").write_text("You are careful.\nToday is Monday.\nUse tabs.\n")
    (tmp_path / "new").write_text("You are careful.\nToday is Tuesday.\nUse tabs.\n")
    return tmp_path


def test_the_first_difference_is_shown_with_its_cost(run: Run, prompts) -> None:
    done = run("prompt", "diff", "old", "new", "--tokenizer", "o200k", cwd=prompts)
    assert (done.status, done.err) == (1, "")
    assert done.out.decode().splitlines() == [
        "token 7 differs first, on line 2",
        '- "Monday.\\nUse tabs.\\n"',
        '+ "Tuesday.\\nUse tabs.\\n"',
        "6 tokens stay cached, 5 tokens are written again",
        "cost: 6.23 times that of an unchanged prompt",
    ]


def test_prices_are_those_of_compact_unless_named(run: Run, prompts) -> None:
    facts = json.loads(run("prompt", "diff", "old", "new", "--tokenizer", "o200k", "--json", cwd=prompts).out)
    assert facts["cost"] == pytest.approx(facts["cached_tokens"] * 0.1 + facts["rewritten_tokens"] * 1.25)
    other = run("prompt", "diff", "old", "new", "--cache-write", "1", "--cache-read", "0.5", "--json", cwd=prompts)
    facts = json.loads(other.out)
    assert facts["cost"] == pytest.approx(facts["cached_tokens"] * 0.5 + facts["rewritten_tokens"])


def test_the_same_prompts_answer_0(run: Run, prompts) -> None:
    done = run("prompt", "diff", "old", "old", cwd=prompts)
    assert (done.status, done.out.decode().splitlines()[0]) == (0, "the prompts are the same")


def test_a_built_prompt_is_cached_up_to_its_breakpoints(run: Run, prompts) -> None:
    for name, note in (("a", "one"), ("b", "two")):
        sections = [{"name": "base", "content": "You are careful."}, {"name": "status", "content": f"It is {note}."}]
        built = run("prompt", "build", "--window", "8000", "--json", stdin="\n".join(map(json.dumps, sections))).out
        (prompts / name).write_bytes(built)
    facts = json.loads(run("prompt", "diff", "a", "b", "--tokenizer", "o200k", "--json", cwd=prompts).out)
    assert (facts["line"], facts["old"], facts["cached_tokens"]) == (3, "one.\n", 4)


def test_a_missing_file_is_named(run: Run) -> None:
    done = run("prompt", "diff", "none", "other")
    assert (done.status, done.out) == (66, b"")
    assert "none: No such file" in done.err
