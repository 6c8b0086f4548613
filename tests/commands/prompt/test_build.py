"""ctxkit prompt build."""

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
