import pytest

from ctxkit.core.brief.briefing_frame import BriefingFrame, offer_unquoted_range
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.render import Rendering, render_outline
from ctxkit.core.text.retrieval_hint import PRESETS, Hint

HINT = Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "/cache/3f*", "big_file.rs")


def framed(*entries: Entry, **changes) -> str:
    values = {
        "name": "big_file.rs",
        "lines": 847,
        "size": 24_576,
        "tokens": 6120,
        "exact": True,
        "hint": HINT,
    } | changes
    outline = Outline(
        values.pop("kind", "text"), (Section("", entries),), values.pop("language", ""), values.pop("example", None)
    )
    return BriefingFrame(**values).wrap(outline, "the body", values.get("quoted", 0))


def test_a_map_says_at_the_top_what_it_is_of_and_at_the_end_how_to_read_a_part() -> None:
    assert framed(example=(46, 200)) == (
        "# big_file.rs (847 lines, 24 KB, 6,120 tokens): a map, not the content\n\nthe body\n\n"
        "To read a part: ctxkit cache get 3f9a2c81d0b4 --lines 46:200 (or: sed -n '46,200p' /cache/3f*)\n"
    )


def test_kind_or_language_is_named_and_an_estimate_is_labelled() -> None:
    assert framed(kind="json").startswith("# big_file.rs (847 lines, 24 KB, 6,120 tokens, json): a map")
    assert "6,120 tokens, rust): " in framed(kind="source", language="rust")
    assert "about 6,120 tokens)" in framed(exact=False)


def test_the_lines_that_are_quoted_are_told() -> None:
    frame = BriefingFrame("x", 9, 99, 9, True, HINT)
    assert frame.wrap(Outline("text", ()), "", 1234).startswith(
        "# x (9 lines, 99 bytes, 9 tokens): a map, not the content; 1,234 lines quoted"
    )


def test_a_short_frame_tells_lines_and_tokens_only() -> None:
    frame = BriefingFrame("x", 9, 99, 9, True, HINT).shorten()
    assert frame.wrap(Outline("text", ()), "", 3).startswith("# x (9 lines, 9 tokens): a map, not the content\n")
    long = BriefingFrame("x", 1, 73_728, 9, True, HINT).shorten()
    assert long.wrap(Outline("text", ()), "", 3).startswith("# x (1 line, 72 KB, 9 tokens): a map, not the content\n")


def test_a_preface_comes_before_everything() -> None:
    assert framed(preface="exit status 1").startswith("exit status 1\n# big_file.rs")


@pytest.mark.parametrize(
    ("entries", "range_"),
    [
        ((), "1:120"),
        ((Entry("a", 1, 9), Entry("b", 10, 60)), "10:60"),
        ((Entry("a", 1, 500), Entry("b", 501, 847)), "1:120"),
        ((Entry("q", 700, 847, verbatim=True), Entry("b", 10, 20)), "10:20"),
        ((Entry("about no line"),), "1:120"),
    ],
)
def test_the_hint_shows_the_longest_range_of_at_most_120_lines(entries, range_: str) -> None:
    assert f"--lines {range_} " in framed(*entries)


def test_the_range_of_the_hint_is_within_the_content() -> None:
    assert "--lines 1:5 " in framed(lines=5)
    assert "--bytes 1:4000\n" in framed(lines=0)


def test_lines_too_long_to_read_have_a_range_of_bytes() -> None:
    entries = (Entry("a", 1, 1),)
    assert "--lines 1:1 " in framed(*entries, lines=2)
    assert "--bytes 1:4000\n" in framed(*entries, lines=1)


@pytest.mark.parametrize(
    ("hint", "where"), [(HINT, "ctxkit cache get 3f9a2c81d0b4"), (Hint("t", path="a/b.rs"), "a/b.rs")]
)
def test_the_envelope_is_one_line_of_what_how_large_and_where(hint, where: str) -> None:
    frame = BriefingFrame("big_file.rs", 847, 24_576, 6120, True, hint)
    assert frame.render_one_line() == f"big_file.rs (847 lines, 24 KB): {where}\n"
    frame = BriefingFrame("x", 1, 1, 1, True, hint, "exit status 1")
    assert frame.render_one_line() == f"exit status 1; x (1 line, 1 byte): {where}\n"


def test_json_on_one_line_is_reached_by_a_path() -> None:
    hint = Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "p")
    assert hint.for_json_path(".a[0:9]", 5, 9) == "To read a part: ctxkit cache get 3f9a2c81d0b4 --json-path '.a[0:9]'"
    assert hint.for_json_path("[7]", 5, 9).endswith("--json-path '.[7]'")
    assert hint.for_json_path(".a[\"it's\"]", 5, 9) == "To read a part: ctxkit cache get 3f9a2c81d0b4 --bytes 5:9"
    assert Hint("read {start} to {end}", "3f9").for_json_path(".a", 5, 9) == "To read a part: read 5 to 9 [ref 3f9]"


def offer(entries: tuple[Entry, ...], example: tuple[int, int] | None, target: int = 1_000) -> str:
    outline = Outline("x", (Section("", entries),), example=example)

    def add_frame(outline: Outline, body: str, quoted: int) -> str:
        return f"{body}\n{outline.example}"

    rendering = Rendering(render_outline(outline, add_frame, None), outline)
    return offer_unquoted_range(rendering, add_frame, len, target).text.rpartition("\n")[2]


QUOTES = tuple(quote(number, f"line {number}") for number in range(1, 11))


def test_a_range_that_the_map_quotes_gives_way_to_one_that_it_does_not() -> None:
    assert offer((*QUOTES, Entry("b", 40, 200, rank=2), Entry("a", 300, 330, rank=1)), (1, 10)) == "(300, 330)"
    assert offer((*QUOTES, Entry("b", 40, 200, rank=2)), (1, 10)) == "(40, 159)"


@pytest.mark.parametrize("example", [(5, 60), (11, 30)])
def test_a_range_with_lines_that_are_not_quoted_stays(example: tuple[int, int]) -> None:
    assert offer((*QUOTES, Entry("b", 40, 200)), example) == str(example)


def test_the_range_stays_if_there_is_no_better_one_or_no_room() -> None:
    assert offer(QUOTES, (1, 10)) == "(1, 10)"
    assert offer((*QUOTES, Entry("b", 40, 200)), (1, 10), target=20) == "(1, 10)"
    assert offer((*QUOTES, Entry("b", 40, 200)), None) == "None"
