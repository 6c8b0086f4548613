import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import markdown as kind
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from tests.example_counts import count_examples

GUIDE = "# Guide\n\nHow to use *it*.\n\n" + "".join(
    f"## Part {i}\n\nPart {i} begins here.\n\n```sh\nmake part{i}\n# not a heading\n```\n\n"
    f"### Detail {i}\n\nSmall print.\n\n"
    for i in range(40)
)


def count(text):
    return (len(text.encode("utf-8", "surrogatepass")) + 2) // 3


def document(text, target=1_500, name=""):
    data = text.encode("utf-8", "surrogatepass")
    return InputDocument(lines.lines_from_bytes(data), lambda at, n: data[at : at + n], count, target, name=name, content_type="md")


def said(text, target=1_500):
    doc = document(text, target)
    frame = BriefingFrame("x", doc.lines.total, doc.lines.size, 10_000, True, Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "p"))
    made = brief_document(doc, frame)
    assert not made.doubt
    return made.text


def flat(entries):
    for entry in entries:
        yield entry
        yield from flat(entry.children)


def test_sections_nest_with_their_lines() -> None:
    text = said(GUIDE, 4_000)
    assert "- Lines 1-524: # Guide\n" in text
    assert "  - Lines 5-17: ## Part 0" in text
    assert "    - Lines 14-17: ### Detail 0" in text


def test_with_room_sections_show_how_they_begin_and_what_they_hold() -> None:
    text = said(GUIDE, 8_000)
    assert "## Part 7 (1 sh block)" in text
    assert "- 98: Part 7 begins here." in text


def test_what_is_left_out_is_counted() -> None:
    text = said(GUIDE, 500)
    headings = text.partition("## More lines")[0]
    shown = sum(line.lstrip().startswith("- Line") for line in headings.split("\n"))
    assert f"81 headings ({shown} of them shown)" in text
    hidden = sum(int(part.split("(")[-1]) for part in text.split(" sub-heading")[:-1])
    assert shown + hidden == 81


def test_a_long_section_without_headings_shows_its_paragraphs() -> None:
    text = "# One\n\n" + "".join(f"Paragraph {i} says something.\n\n" for i in range(200))
    made = said(text, 2_000)
    assert "- 3: Paragraph 0 says something." in made
    assert "- 43: Paragraph 20 says something." in made


def test_every_quotation_stands_in_its_line_and_every_range_in_the_text() -> None:
    split = GUIDE.split("\n")
    for outline in kind.outline(document(GUIDE, 8_000)):
        for section in outline.sections:
            for entry in flat(section.entries):
                if entry.start:
                    assert 1 <= entry.start <= entry.end <= 524
                if entry.verbatim:
                    assert entry.label.split(" [+")[0] in split[entry.start - 1]


def test_front_matter_and_what_precedes_the_first_heading_are_told() -> None:
    text = said("---\ntitle: x\n---\n\nSome words first.\n\n# A\n\nMore.\n")
    assert "- Lines 1-3: front matter: title" in text
    assert "- Lines 4-6: (before the first heading)\n  - 5: Some words first." in text


def test_headings_in_any_script_are_quoted() -> None:
    text = said("# 世凪的灵魂\n\n文字。\n\n## ملاحظات\n\nنص\n")
    assert "# 世凪的灵魂" in text
    assert "## ملاحظات" in text


def test_text_without_headings_is_left_to_the_generic_map() -> None:
    assert kind.outline(document("just words\n" * 100)) is None


@settings(max_examples=count_examples(150), deadline=None)
@given(st.text(alphabet="#-=`~<>h1 ab\n|[]():*"), st.integers(60, 800))
def test_no_text_breaks_it(text: str, target: int) -> None:
    kind.sniff(document(text, target))
    if kind.outline(document(text, target)):
        assert count(said(text, target)) <= target


@pytest.mark.parametrize(
    "text",
    [
        GUIDE,
        '<h1 align="center">X</h1>\n<p align="center">y</p>\n\n## Install\n\n- **one** [a](b)\n- `two`\n',
        "Title\n=====\n\nSome *words* with [a link](b).\n\nPart\n----\n\n- one\n- two\n\n```\ncode\n```\n",
        "---\nname: x\ndescription: y\n---\n\n# Skill\n\nUse **this** [now](b).\n\n## When\n\n- one\n- two\n",
    ],
)
def test_markdown_is_known_without_a_name(text: str) -> None:
    assert kind.sniff(document(text)) >= 0.5


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/sh\n# Install things\n\n# First part\napt-get install x\n\n# Second part\nmake\n",
        "# Settings\n\nname: x\nversion: 2\n\n# More\n\nitems:\n  - a: 1\n  - b: 2\n\n# Rest\n\nend: true\n",
        "# coding\n\nimport os\n\n# Section\n\ndef f():\n    return os\n\n# Other\n\nclass A:\n    pass\n",
        "diff --git a/R.md b/R.md\nindex 1..2\n--- a/R.md\n+++ b/R.md\n@@ -1,3 +1,3 @@\n # A\n-- x\n+- y\n",
        "======= test session starts =======\ncollected 3 items\n\n===== FAILURES =====\n____ test_a ____\n" * 3,
        "2025-01-01 INFO # start\n" * 50,
        "Just prose, line after line.\n\nAnother paragraph of it.\n\n" * 20,
        "# comment\nKEY=value\n# other\nOTHER=value\n\n# third\n\nX=1\nY=2\n",
        "Title\n=====\n\n.. note:: this is RST\n\n:param x: y\n\nPart\n----\n\n- one\n- two\n- three\n",
    ],
)
def test_what_is_no_markdown_is_not_claimed(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0


def test_a_name_is_believed() -> None:
    assert kind.sniff(document("anything", name="docs/README.md")) >= 0.9
    assert kind.sniff(document(GUIDE, name="guide.py")) == 0.0


def test_a_report_whose_rulers_cross_the_page_is_no_markdown() -> None:
    block = f"{'=' * 70}\nFAIL: test_total (shop.Tests.test_total)\n{'-' * 70}\nTraceback (most recent call last):\n"
    report = "..F.\n" + (block + '  File "shop.py", line 7\nAssertionError: 3 != 4\n\n') * 5 + "-" * 70 + "\nRan 4 tests\n"
    data = report.encode()
    bare = InputDocument(lines.lines_from_bytes(data), lambda at, n: data[at : at + n], count, 1_500)
    assert kind.sniff(bare) == 0.0


def test_a_linter_that_quotes_headings_is_no_markdown() -> None:
    rows = [f"docs/a{n}.md:{n}:1: MD022: Headings should be surrounded" for n in range(1, 30)]
    text = "\n".join([*rows, "", "Page 1", "=====", "* a", "* b", "", "Page 2", "=====", "* c", "* d", ""])
    assert kind.sniff(document(text)) == 0
