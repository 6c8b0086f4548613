import pytest

pytest.importorskip("bench.lint", reason="the benches are in the repository alone")

from bench.lint.sentences import lost_places, lost_sentences, split
from bench.lint.survival import State

AGENTS = "# Rules\n\n- Run the linter before each commit\n- Ask before you spend any money\n"
SOUL = "# Soul\n\n- Run the linter before each commit. Use port 8080.\n- Speak softly to everybody\n"
FILES = {"AGENTS.md": AGENTS, "SOUL.md": SOUL}


def kept(files):
    return State({path: text.encode() for path, text in files.items()}, {})


def lost(before, after, *, unsafe=True):
    return list(lost_sentences(kept(before), kept(before | after), unsafe=unsafe))


def places(before, after):
    return list(lost_places(kept({"AGENTS.md": before}), kept({"AGENTS.md": after})))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Run it. Use port 8080.", ["Run it.", "Use port 8080."]),
        ("Use e.g. uv. Not pip.", ["Use e.g. uv.", "Not pip."]),
        ("先运行测试。再提交代码。", ["先运行测试。", "再提交代码。"]),
        ("Ready: now  \nTime: later", ["Ready: now", "Time: later"]),
        ("Version 1.2 is out", ["Version 1.2 is out"]),
    ],
)
def test_a_statement_is_split_at_the_ends_of_its_sentences(text: str, parts) -> None:
    assert list(split(text)) == parts


def test_a_sentence_that_leaves_with_a_repeated_one_is_lost() -> None:
    assert lost(FILES, {}) == []
    (one,) = lost(FILES, {"SOUL.md": "# Soul\n\n- Speak softly to everybody\n"})
    assert "Use port 8080." in one
    assert lost(FILES, {"SOUL.md": "# Soul\n\n- Use port 8080.\n- Speak softly to everybody\n"}) == []


@pytest.mark.parametrize(
    ("text", "other", "repeated"),
    [
        ("- Do not wake Lena at night", "- Never wake Lena at night, please", True),
        ("- Do not wake Lena at night", "- Wake Lena at night", False),
        ("- Retry at most 3 times", "- Retry at most 5 times", False),
        ("- ✅ Commit the lock file", "- ❌ Commit the lock file", False),
        ("- 日志里不允许出现客户的身份证号码", "- 日志里禁止出现客户的身份证号码", True),
        ("- Write C++ with a formatter", "- Write C# with a formatter", False),
        ("- Always tag your notes with a scope", "- You tag your notes with a scope", False),
        ("- Creature: part of another world", "- Part of another world. The creature is not from here.", True),
        ("- Notes lie in `docs/notes/`", "- **Notes** lie in `docs/notes`", True),
        ("- 性格：极简、完美", "- **性格**：极简、完美、创新、永不放弃", True),
        ("- Pushing to main", "- Pushing to main is not allowed", False),
        ("- Narrate before each tool call, in one short sentence", "- Narrate: see SOUL.md", False),
    ],
)
def test_an_unsafe_fix_may_keep_only_what_repeats_the_sentence(text: str, other: str, repeated: bool) -> None:
    before = {"AGENTS.md": f"# Rules\n\n{text}\n\nOther words\n\n{other}\n"}
    after = {"AGENTS.md": f"# Rules\n\nOther words\n\n{other}\n"}
    assert (lost(before, after) == []) is repeated
    assert lost(before, after, unsafe=False)


def test_an_empty_section_and_a_block_without_its_introduction_are_lost_places() -> None:
    before = "# T\n\n## A\n\n- Some words here\n\n## B\n\nRun this first.\n\n```\nmake\n```\n"
    assert places(before, before) == []
    assert "section" in places(before, before.replace("- Some words here\n", ""))[0]
    assert "introduction" in places(before, before.replace("Run this first.\n", "Other words.\n"))[0]
    assert places(before, before.replace("## A\n\n- Some words here\n\n", "")) == []


def test_a_statement_cut_by_a_stop_instead_of_a_dash_is_the_same() -> None:
    before = "# A\n\n- You are careful — ask early, ask often\n\n**You are careful.** Ask early, ask often.\n"
    after = {"AGENTS.md": before.replace("- You are careful — ask early, ask often\n\n", "")}
    assert lost({"AGENTS.md": before}, after, unsafe=False) == []


def test_a_line_with_a_mark_alone_ends_a_quoted_statement() -> None:
    before = "# A\n\n> **Keep all of it**\n>\n> The swarm leads here.\n\nKeep all of it\n"
    after = {"AGENTS.md": before.replace("> **Keep all of it**\n", "")}
    assert lost({"AGENTS.md": before}, after) == []
