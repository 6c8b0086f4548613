import pytest

from ctxkit.core.lint.rules import garbage
from tests.core.lint.asked import asked, codes, mended


@pytest.mark.parametrize(
    "text",
    [
        "The conversation history highlights the need to read files directly. I should prompt them to specify.",
        "- I need to ask the user for the path.", "Okay, let's see what was said.", "The user wants me to use tabs.",
        "Here is a concise summary of the conversation:", "As an AI language model, I cannot know.",
        "The user hasn't provided the paths.", "用户要求我总结对话", "I hope this summary helps.",
    ],
)  # fmt: skip
def test_a_sentence_about_the_conversation_is_told_of(text: str) -> None:
    assert codes(garbage, {"MEMORY.md": f"# Memory\n\n{text}\n"}) == [("HYG002", 3)]
    assert codes(garbage, {"AGENTS.md": f"# Agents\n\n{text}\n"}) == []


@pytest.mark.parametrize(
    "text",
    [
        "- The user prefers tabs.", "- The UI should prompt them to sign in.", "- Ask the user before a deploy.",
        "- `I should prompt them` is what small models write.", "- Chat history is kept for 30 days.",
        "- Session cookies expire after an hour.", "- **Error:** \"I don't have the necessary permissions to spawn\"",
        "- If the conversation is about smart cities, offer the audit.", "- Events created by the assistant should have a prefix.",
    ],
)  # fmt: skip
def test_a_fact_is_none(text: str) -> None:
    assert codes(garbage, {"MEMORY.md": f"# Memory\n\n{text}\n"}) == []


def test_what_was_said_in_a_transcript_is_no_summary() -> None:
    turns = "user: go on\nassistant: Okay, let's see.\n\n" * 3
    assert codes(garbage, {"SOUL.md": "x", "memory/2026-01-01.md": turns}) == []
    assert codes(garbage, {"SOUL.md": "x", "memory/transcripts/a.md": "Okay, let me see.\n"}) == []


@pytest.mark.parametrize(
    "text",
    [
        "user: please fix it\nassistant: Done.", "**User:** hi\n\n**Assistant:** hello", "- Human: hi\n- AI: hello",
        "assistant: The build is fixed and all tests pass.", "<|im_start|>user\nhi", "用户：你好\n助手：你好",
        "[user]: please\n[assistant]: done", "User (10:32): hi\nClaude (10:33): hello",
    ],
)  # fmt: skip
def test_a_chat_in_a_memory_is_told_of(text: str) -> None:
    assert codes(garbage, {"MEMORY.md": f"# Memory\n\n{text}\n"}) == [("HYG003", 3)]


@pytest.mark.parametrize(
    "text", ["- Model: opus", "- **Agent:** runs at night", "**System:** Debian 12", "- Tool: ruff", "- User: Ana"]
)
def test_a_keyed_fact_is_no_chat(text: str) -> None:
    assert codes(garbage, {"MEMORY.md": f"# Memory\n\n{text}\n"}) == []


@pytest.mark.parametrize("title", ["Compaction Summary (2026-02-16T11:39:46Z)", "2026-02-10", "Session 12", "Chat log"])
def test_the_log_of_a_session_is_told_of_by_its_heading(title: str) -> None:
    assert codes(garbage, {"MEMORY.md": f"# Memory\n\n## {title}\n\nWe talked.\n"}) == [("HYG003", 3)]


@pytest.mark.parametrize("title", ["Session integration, part 2", "Sessions", "Since 2026-02-10: VPN", "Conversation style"])
def test_a_heading_about_sessions_is_no_log(title: str) -> None:
    assert codes(garbage, {"MEMORY.md": f"# Memory\n\n## {title}\n\n- A fact.\n"}) == []


def test_removing_a_log_keeps_its_bullets() -> None:
    text = "# Memory\n\n## Conversation summary\n\nWe talked a lot.\n\n- Staging needs the VPN.\n"
    assert mended(garbage, "MEMORY.md", text) == "# Memory\n\n- Staging needs the VPN.\n"
    (dated,) = asked(garbage, {"MEMORY.md": "## 2026-01-01\n\n- Staging needs the VPN.\n"})
    assert dated.fix is None


@pytest.mark.parametrize(
    "text",
    ["[truncated at 8 chars]", "- Deploy ... [truncated at 25KB]", "[TRUNCATED AT 30 MB]", "x … truncated", "[... 12 lines omitted]",
     "… +42 lines", "[…truncated at 9 characters — only the content above is visible]", "<response clipped>",
     "[Old tool result content cleared]", "[120 more lines truncated]"],
)  # fmt: skip
def test_a_mark_of_truncation_is_told_of(text: str) -> None:
    assert codes(garbage, {"MEMORY.md": f"{text}\n"}) == [("HYG004", 1)]
    assert codes(garbage, {"AGENTS.md": f"- Rule\n  {text}\n"}) == [("HYG004", 2)]


@pytest.mark.parametrize(
    "text",
    ["- Logs are truncated to 20 chars", "- If output ends with [truncated], read the file.", "- `[truncated]` is a mark",
     "| SITE | name (truncated to 20 chars) |", "- Its output (truncated to 100 lines)", "```\n[truncated at 8 chars]\n```"],
)  # fmt: skip
def test_what_speaks_of_truncation_is_none(text: str) -> None:
    assert codes(garbage, {"AGENTS.md": f"{text}\n"}) == []


def test_a_marker_of_a_compaction_is_removed_and_its_text_stays() -> None:
    assert codes(garbage, {"MEMORY.md": "- [VERBATIM] Use tabs.\n"}) == [("HYG002", 1)]
    assert mended(garbage, "MEMORY.md", "- [VERBATIM] Use tabs.\n") == "- Use tabs.\n"
    assert codes(garbage, {"MEMORY.md": "- The word [VERBATIM] marks quotes.\n- `[VERBATIM]`\n"}) == []


def test_files_of_single_sessions_that_accumulate_are_one_finding() -> None:
    files = {"MEMORY.md": "- A fact.\n", "memory/SESSION_4130.md": "- a\n", "memory/2026-02-03.md": "- b\n"}
    assert codes(garbage, files) == []
    (one,) = asked(garbage, files | {"memory/SESSION_4131.md": "- c\n"})
    assert (one.code, one.path, one.related[0].path) == ("HYG003", "memory/SESSION_4130.md", "memory/SESSION_4131.md")
    assert one.message == "2 files of single sessions accumulate in memory; keep their facts in MEMORY.md"


@pytest.mark.parametrize(
    "title",
    ["Updated Feb 26, 2026", "Corrections appliquées (session 2026-02-27)", "Aktualisiert 26. Februar 2026", "12 de marzo de 2026",
     "Correcciones (sesión 12 de marzo de 2026)"],
)  # fmt: skip
def test_a_title_with_a_date_is_one_of_a_log_in_any_language(title: str) -> None:
    assert codes(garbage, {"MEMORY.md": f"# M\n\n## {title}\n\n- x\n"}) == [("HYG003", 3)]


@pytest.mark.parametrize("title", ["Style", "The server of 2026-02-27 and its port", "Node 22", "Ports 80 and 8080"])
def test_a_title_of_facts_is_none(title: str) -> None:
    assert codes(garbage, {"MEMORY.md": f"# M\n\n## {title}\n\n- x\n"}) == []


def test_a_marker_that_a_sentence_quotes_is_none() -> None:
    assert codes(garbage, {"MEMORY.md": '- The prompt says "[truncated]" when a file is long.\n'}) == []
    assert codes(garbage, {"MEMORY.md": "- The port is 8443 and the na\n[truncated]\n"}) == [("HYG004", 2)]
    assert codes(garbage, {"MEMORY.md": "- The port is 8443 and the na [truncated]\n"}) == [("HYG004", 1)]


def test_a_transcript_may_have_marks_of_truncation() -> None:
    turns = "".join(f"user: question {number}\n\nassistant: answer {number}\n\n" for number in range(6))
    found = asked(garbage, {"memory/2026-01-01.md": f"{turns}[...truncated...]\n"})
    assert "HYG004" not in [finding.code for finding in found]
    assert "HYG004" in [finding.code for finding in asked(garbage, {"memory/2026-01-01.md": "- A\n\n[...truncated...]\n"})]


def test_a_dated_record_of_a_decision_is_no_log() -> None:
    text = "## 2026-05-08: Network\n\n- **Decision**: In production the base URL MUST be `/`.\n"
    assert codes(garbage, {"MEMORY.md": text}) == []
    assert codes(garbage, {"MEMORY.md": text.replace("**Decision**: ", "").replace("MUST be", "is")}) == [("HYG003", 1)]
