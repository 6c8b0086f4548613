from itertools import pairwise

import pytest

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import prose
from ctxkit.core.text import lines

STORY = "".join(
    f"It was the {number}th morning, and the sea was calm.\nNobody spoke of the storm that had passed.\n\n".replace(
        "th", "th" if number % 2 else "st"
    )
    for number in range(1, 40)
)
BOOK = f"CHAPTER I. The Sea\n\n{STORY}CHAPTER II. The Land\n\n{STORY}"
CHINESE = "这一天早晨，海面十分平静，没有人谈起那场已经过去的风暴。\n\n" * 30
ARABIC = "في صباح ذلك اليوم كان البحر هادئا ولم يتحدث أحد عن العاصفة التي مرت.\n\n" * 30
CODE = "def main():\n    return {'a': 1}\n\nfor x in y:\n    print(x)\n\n" * 20
TABLE = "NAME      READY   STATUS\npod-a     1/1     Running\n" * 20
LISTING = "\n".join(f"src/module_{number}/file.py" for number in range(60))
APT = "Reading package lists... Done\nBuilding dependency tree... Done\nThe following NEW packages will be installed:\n  zsh zsh-common\n" * 8
FAILED = STORY + "Error: the disk is full\n"


def document(text, name="", target=2000):
    content = lines.lines_from_bytes(text.encode())
    return InputDocument(content, content.read, len, target, name)


@pytest.mark.parametrize("text", [STORY, BOOK, CHINESE, ARABIC])
def test_prose_is_told_in_any_script(text) -> None:
    assert prose.sniff(document(text)) >= 0.6


@pytest.mark.parametrize("text", [CODE, TABLE, LISTING, APT, FAILED, "one line\n", "", "a: 1\nb: 2\n" * 30])
def test_other_texts_are_none(text) -> None:
    assert prose.sniff(document(text)) == 0


def test_the_name_of_another_kind_decides() -> None:
    assert prose.sniff(document(STORY, "a.py")) == 0
    assert prose.sniff(document(STORY, "a.txt")) > 0


def test_chapters_hold_the_openings_of_their_paragraphs() -> None:
    richest, *_ = prose.outline(document(BOOK))
    assert [entry.label for entry in richest.sections[0].entries] == ["78 paragraphs, 2 chapters"]
    first, second = richest.sections[1].entries
    assert (first.label, first.start, first.end) == ("CHAPTER I. The Sea", 1, 118)
    assert (second.label, second.start, second.end) == ("CHAPTER II. The Land", 120, 237)
    opening = first.children[0]
    assert (opening.start, opening.verbatim) == (3, True)
    assert opening.label == "It was the 1th morning, and the sea was calm."


def test_what_enters_first_is_spread_over_the_whole() -> None:
    richest, *_ = prose.outline(document(STORY))
    entries = richest.sections[1].entries
    early = [place for place, entry in enumerate(entries) if entry.rank <= 3]
    assert early[0] == 0
    assert early[-1] == len(entries) - 1
    gaps = [after - before for before, after in pairwise(early)]
    assert max(gaps) <= len(entries) // 2 + 1
    assert max(entry.rank for entry in entries) > 3


def test_one_paragraph_has_no_map() -> None:
    assert prose.outline(document("It was a morning.\n")) is None


def test_a_number_on_a_line_of_its_own_opens_a_chapter() -> None:
    text = f"0. Definitions.\n\n{STORY}1. Source Code\n\n{STORY}"
    richest, *_ = prose.outline(document(text))
    assert [entry.label for entry in richest.sections[1].entries] == ["0. Definitions.", "1. Source Code"]
