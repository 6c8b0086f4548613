"""Prompts are built for caches, compared, and searched for what breaks a cache."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run

SIX = [
    {"name": "status", "content": "[Context: 83% used.]"},
    {"name": "skills", "content": "Release: publish."},
    {"name": "memories", "content": "The user is called Ünal."},
    {"name": "rules", "content": "Use tabs."},
    {"name": "base", "content": "You are careful."},
]
WINDOW = ("--window", "8000", "--tokenizer", "o200k")
TEXT = "You are careful.\n\nUse tabs.\n\nThe user is called Ünal.\n\nRelease: publish.\n\n[Context: 83% used.]\n"


def lines(sections):
    return "".join(f"{json.dumps(section)}\n" for section in sections)


def test_sections_are_ordered_with_breakpoints_in_bytes_and_characters(run: Run) -> None:
    done = run("prompt", "build", *WINDOW, stdin=lines(SIX))
    assert (done.status, done.out.decode(), done.err) == (0, TEXT, "")
    built = json.loads(run("prompt", "build", *WINDOW, "--json", stdin=lines(SIX)).out)
    assert built["prompt"] == TEXT
    assert [(point["section"], point["bytes"], point["characters"]) for point in built["breakpoints"]] == [
        ("base", 17, 17), ("rules", 28, 28), ("memories", 55, 54),
    ]
    assert [section["name"] for section in built["sections"]] == ["base", "rules", "memories", "skills", "status"]


def test_the_manifest_of_the_man_page_gives_the_prompt_of_the_man_page(run: Run, tmp_path: Path) -> None:
    (tmp_path / "AGENT.md").write_text("Use tabs.\n")
    (tmp_path / "p.toml").write_text(
        '[[section]]\nname = "status"\ncontent = "[Context: 83% used.]"\n\n[[section]]\nname = "base"\n'
        'content = "You are a careful agent."\n\n[[section]]\nname = "rules"\nfile = "AGENT.md"\n'
    )
    done = run("prompt", "build", "--sections", "p.toml", *WINDOW, "--json", cwd=tmp_path)
    built = json.loads(done.out)
    assert built["prompt"] == "You are a careful agent.\n\nUse tabs.\n\n[Context: 83% used.]\n"
    assert [point["bytes"] for point in built["breakpoints"]] == [25, 36]


@pytest.mark.parametrize(("model", "size", "marks"), [("claude-sonnet-4-5", 40, 0), ("claude-sonnet-4-5", 4000, 3), ("claude-opus-4-5", 4000, 1)])
def test_anthropic_blocks_are_marked_where_the_model_caches(run: Run, model: str, size: int, marks: int) -> None:
    """Seed 001: "Anthropic: translates to `cache_control` blocks"; the minimum of the model is respected."""
    sections = [{**section, "content": "word " * size + section["name"]} for section in SIX[:4]]
    sections[0]["content"] = "status"
    sections.append({"name": "base", "content": "word " * (size // 2)})
    sections[3]["content"] = "word " * (size // 20)
    done = run("prompt", "build", "--to", "anthropic", "--model", model, stdin=lines(sections))
    members = json.loads(done.out)
    marked = [block for block in members["system"] if "cache_control" in block]
    assert len(marked) == marks
    assert all(block["cache_control"] == {"type": "ephemeral"} for block in marked)
    assert members["messages"] == [{"role": "user", "content": [{"type": "text", "text": "status\n"}]}]


def test_openai_has_messages(run: Run) -> None:
    """Seed 001: "OpenAI: ignores (auto-caches by prefix)"."""
    members = json.loads(run("prompt", "build", "--to", "openai", *WINDOW, stdin=lines(SIX)).out)
    assert [message["role"] for message in members["messages"]] == ["system", "user"]
    whole = json.loads(run("prompt", "build", "--to", "openai", "--turn-sections", "system", *WINDOW, stdin=lines(SIX)).out)
    assert whole == {"messages": [{"role": "system", "content": TEXT}]}


@pytest.mark.slow
def test_memory_enters_as_a_map_that_can_be_read_back(run: Run) -> None:
    memory = "".join(f"- Fact {number} is remembered.\n" for number in range(3000))
    sections = [*SIX[3:], {"name": "memories", "content": memory}]
    done = run("prompt", "build", "--window", "4000", "--tokenizer", "o200k", "--json", stdin=lines(sections))
    built = json.loads(done.out)
    assert built["tokens"] <= 3200
    (section,) = [section for section in built["sections"] if section["result"] == "briefing"]
    assert run("cache", "get", section["ref"]).out.decode() == memory
    assert "section memories is too large, and enters as a map" in done.err


def test_skills_are_cached_while_the_previous_prompt_has_them(run: Run, tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(run("prompt", "build", *WINDOW, stdin=lines(SIX)).out)
    changed = [{"name": "status", "content": "other"}, *SIX[1:]]
    done = run("prompt", "build", "--previous", "old", *WINDOW, "--json", stdin=lines(changed), cwd=tmp_path)
    assert [point["section"] for point in json.loads(done.out)["breakpoints"]][-1] == "skills"


@pytest.mark.parametrize(
    ("args", "stdin", "status", "message"),
    [
        ((), "no", 65, "stdin: line 1 is not JSON"),
        (("--base", "none"), "", 66, "none: No such file"),
        (("--sections", "none"), "", 66, "none: No such file"),
    ],
)
def test_what_cannot_be_built_is_one_line(run: Run, args, stdin: str, status: int, message: str) -> None:
    done = run("prompt", "build", *WINDOW, *args, stdin=stdin)
    assert (done.status, done.out) == (status, b"")
    assert message in done.err


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


def test_findings_have_their_place_and_answer_1(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("Be careful.\nToday is 2026-11-22.\nThis is turn 12.\n")
    done = run("prompt", "lint", "p.md", cwd=tmp_path)
    assert (done.status, done.err) == (1, "")
    assert done.out == b"p.md:2:10: date: 2026-11-22\np.md:3:9: counter: turn 12\n"
    (finding,) = map(json.loads, run("prompt", "lint", "p.md", "--ignore-kind", "date", "--json", cwd=tmp_path).out.splitlines())
    assert finding == {"kind": "counter", "section": "base", "line": 3, "column": 9, "text": "turn 12"}


def test_what_is_not_cached_may_change(run: Run) -> None:
    sections = [{"name": "base", "content": "Be careful."}, {"name": "status", "content": "It is 2026-11-22."}]
    done = run("prompt", "lint", stdin="\n".join(map(json.dumps, sections)))
    assert (done.status, done.out) == (0, b"")
    sections[0]["content"] = "id 6fa459ea-ee8a-3ca4-894e-db77e160355e"
    assert run("prompt", "lint", stdin="\n".join(map(json.dumps, sections))).out.startswith(b"base:1:4: uuid: 6fa459ea")


def test_malformed_sections_are_named(run: Run) -> None:
    done = run("prompt", "lint", stdin="no")
    assert (done.status, done.out) == (65, b"")
    assert "stdin: line 1 is not JSON" in done.err
