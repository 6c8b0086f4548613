from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import Briefing, brief_document, kind_detection
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines import tokens
from tests.example_counts import count_examples

count = cache(tokens.load_tokenizer)(find_vocabulary("qwen3"))
HINT = Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "/cache/3f*", "log")
ROWS = b"".join(b"line %d of it\n" % number for number in range(500))


def briefed(data: bytes, target: int, forced: str = "", name: str = "") -> Briefing | None:
    found = lines.lines_from_bytes(data)
    frame = BriefingFrame("log", found.total, len(data), 99, True, HINT)
    return brief_document(InputDocument(found, found.read, count, target, name, forced), frame)


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("target", [0, 10, 29, 30, 31, 60, 120, 200, 400, 1000])
def test_a_map_then_the_envelope_then_nothing(target: int) -> None:
    found = briefed(ROWS, target)
    if found is None:
        assert target < 32
        return
    assert found.tokens == count(found.text) <= target
    assert "3f9a2c81d0b4" in found.text.rstrip("\n").rpartition("\n")[2]
    assert found.text.endswith("\n")
    assert found.doubt == ""


def test_short_of_room_for_a_map_the_envelope_is_the_answer() -> None:
    found = briefed(ROWS, 40)
    assert found.text == "log (500 lines, 7.2 KB): ctxkit cache get 3f9a2c81d0b4\n"


@pytest.mark.quick_cases(10)
@pytest.mark.parametrize("kind", [kind.NAME for kind in kind_detection.all_kinds()])
@settings(max_examples=count_examples(12), deadline=None)
@given(
    data=st.one_of(
        st.binary(max_size=300),
        st.text(alphabet='ab{}[]",:=- \n\t#|0.<>/é漢\x1b\r\x00', max_size=300).map(str.encode),
        st.lists(
            st.sampled_from(
                [
                    b'{"a": 1}',
                    b"a,b",
                    b"1,2",
                    b"# t",
                    b"- x",
                    b"FAILED a",
                    b"diff --git a b",
                    b"@@ -1 +1 @@",
                    b"2026-01-01 ERROR x",
                ]
            ),
            max_size=30,
        ).map(b"\n".join),
    ),
    target=st.integers(0, 400),
)
def test_every_kind_maps_any_content_within_its_target_or_says_nothing(kind, data, target: int) -> None:
    found = briefed(data, target, kind)
    if found is not None:
        assert found.tokens == count(found.text) <= target
        assert found.doubt == ""
        assert found.confidence == (1.0 if found.kind == kind else 0.0)


def test_a_kind_that_is_in_doubt_leaves_the_generic_map() -> None:
    found = briefed(b"this is no JSON at all\n" * 200, 300, "json")
    assert found.kind == "text"
    assert ": this is no JSON at all\n" in found.text
