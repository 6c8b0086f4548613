import pytest

from ctxkit.core.lint.document.finding import ERROR, WARNING
from ctxkit.core.lint.rules import characters
from tests.core.lint.asked import asked, codes, mended


@pytest.mark.parametrize("text", ["```bash\nmake\n\n- x\n", "~~~\nmake\n", "<!-- note\n- x\n"])
def test_what_is_never_closed_is_an_error_by_what_it_swallows(text: str) -> None:
    (found,) = asked(characters, {"AGENTS.md": f"- a\n{text}"})
    assert (found.code, found.line, found.severity, found.fix) == ("HYG005", 2, ERROR, None)
    assert asked(characters, {"AGENTS.md": "- a\n```\n\n"})[0].severity is WARNING


@pytest.mark.parametrize("text", ["```\nx\n```\n", "````\n```\n````\n", "- a `b` c\n", "<!-- a -->\n"])
def test_what_is_closed_is_none(text: str) -> None:
    assert codes(characters, {"AGENTS.md": text}) == []


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("- Donâ€™t deploy.", "- Don’t deploy."), ("- CafÃ© is open.", "- Café is open."), ("- a\u200bb", "- ab"),
        ("- \u202eabc", "- abc"), ("- x\U000e0041y", "- xy"), ("- soft\u00adhyphen", "- softhyphen"),
    ],
)  # fmt: skip
def test_broken_characters_are_mended(wrong: str, right: str) -> None:
    assert mended(characters, "AGENTS.md", f"{wrong}\n") == f"{right}\n"


@pytest.mark.parametrize(
    "text", ["- Ça va, naïve façade, £5", "- 👨‍👩‍👧 family", "- 🏴󠁧󠁢󠁥󠁮󠁧󠁿 flag", "- می‌خواهم", "- Привет", "- 漢字", "- São Paulo, Ângela, 5 °C"]
)
def test_right_characters_stay(text: str) -> None:
    assert codes(characters, {"AGENTS.md": f"{text}\n"}) == []


def test_a_lost_character_cannot_be_mended() -> None:
    (found,) = asked(characters, {"AGENTS.md": "- a\ufffdb\n"})
    assert (found.code, found.fix) == ("HYG006", None)


def test_lost_characters_of_a_file_are_one_finding() -> None:
    (found,) = asked(characters, {"AGENTS.md": "- caf\ufffd\n- a\n- na\ufffdve\n"})
    assert (found.line, found.message) == (1, "characters were lost in 2 lines: U+FFFD")
    assert [place.line for place in found.related] == [3]


def test_a_fence_with_sections_in_it_is_named_and_not_the_last_one() -> None:
    text = "Layers:\n```\n- a\n\n## Design\n\n- b\n```\nx\n```\n\nend\n"
    (found,) = asked(characters, {"AGENTS.md": text})
    assert (found.code, found.line) == ("HYG005", 2)
    assert "the last fence, of line 10, is never closed" in found.message
    (found,) = asked(characters, {"AGENTS.md": text.replace("\n## Design\n", "# a comment\n")})
    assert found.line == 9  # a line fewer


def test_a_character_that_a_code_span_names_is_not_lost() -> None:
    assert codes(characters, {"AGENTS.md": "Look for `git diff | grep \ufffd` and `\u200b`.\n"}) == []
    assert codes(characters, {"AGENTS.md": "`Ã©` is how é looks when it was decoded wrongly.\n"}) == []
    assert codes(characters, {"AGENTS.md": "The caf\ufffd beside `x`.\n"}) == [("HYG006", 1)]
    assert codes(characters, {"AGENTS.md": "3. Verify no \ufffd replacement characters appear\n"}) == []
    assert codes(characters, {"AGENTS.md": "Replacement characters (\ufffd) mean a wrong encoding.\n"}) == []
    assert codes(characters, {"AGENTS.md": "The caf\ufffd has a wrong encoding.\n"}) == [("HYG006", 1)]
    assert codes(characters, {"AGENTS.md": "Fast \ufffd and simple.\n"}) == [("HYG006", 1)]
    assert codes(characters, {"AGENTS.md": "Run `make\u202e`.\n"}) == [("HYG006", 1)]


def test_a_fence_around_fences_is_named_and_not_the_last_one() -> None:
    text = "# A\n\n```markdown\nUse it:\n\n```bash\nmake\n```\n\nDone.\n```\n\nRules.\n"
    (finding,) = asked(characters, {"AGENTS.md": text})
    assert (finding.line, finding.severity) == (3, ERROR)
    assert "the fence of line 6 ends this code fence in line 8, and the last one, of line 11" in finding.message
    assert codes(characters, {"AGENTS.md": text.replace("```markdown", "````markdown").replace("Done.\n```", "Done.\n````")}) == []


@pytest.mark.parametrize(
    ("language", "line", "is_found"),
    [("", "h\u200b(t)", False), ("text", "a\ufffdb", False), ("bash", "git\u200b push", True), ("python", 'print("/\ufffd:")', False), ("", "a\u202eb", True)],
)
def test_a_sample_in_a_fence_shows_its_characters_and_a_command_needs_the_right_ones(language: str, line: str, is_found: bool) -> None:
    assert codes(characters, {"AGENTS.md": f"```{language}\n{line}\n```\n"}) == [("HYG006", 2)] * is_found
