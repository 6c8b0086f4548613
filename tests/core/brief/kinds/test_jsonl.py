import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import json as whole
from ctxkit.core.brief.kinds import jsonl as kind
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from tests.example_counts import count_examples


def count(text):
    return (len(text.encode("utf-8", "surrogatepass")) + 2) // 3


def document(data, target=1_500, name=""):
    data = data if isinstance(data, bytes) else data.encode()
    return InputDocument(lines.lines_from_bytes(data), lambda at, n: data[at : at + n], count, target, name=name, content_type="jsonl")


def said(data, target=1_500):
    doc = document(data, target)
    frame = BriefingFrame("x", doc.lines.total, doc.lines.size, 10_000, True, Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "p"))
    made = brief_document(doc, frame)
    assert not made.doubt
    return made.text


def verbatim(entries):
    for entry in entries:
        if entry.verbatim:
            yield entry.start, entry.label
        yield from verbatim(entry.children)


def rows(number=200):
    return [{"id": i, "level": ("info", "debug")[i % 2], "msg": f"message number {i}"} for i in range(number)]


def dumped(data):
    return "".join(json.dumps(row) + "\n" for row in data)


def test_rows_are_counted_and_their_shape_is_told() -> None:
    text = said(dumped(rows()))
    assert "- 200 rows, one JSON value a line" in text
    assert "- .id: integer 0..199" in text
    assert '- .level: string "info" ×100, "debug" ×100' in text


def test_what_is_planted_is_named_with_its_line() -> None:
    data = rows()
    data[56]["id"] = "x"
    data[57]["stack"] = "trace"
    data[58]["level"] = "fatal"
    data[59]["id"] = None
    data[60]["id"] = 10**12
    del data[61]["msg"]
    text = said(dumped(data), 3_000)
    assert "- Line 57: .id is a string in 1 of 200; a number in 198" in text
    assert "- Line 58: .stack is present in 1 of 200" in text
    assert '- Line 59: .level is "fatal" in 1 of 200' in text
    assert "- Line 60: .id is null in 1 of 200" in text
    assert "- Line 61: .id is 1000000000000; most are" in text
    assert "- Line 62: .msg is missing from 1 of 200" in text


def test_lines_that_are_no_json_are_counted_and_the_first_is_quoted() -> None:
    split = dumped(rows()).splitlines()
    split[9] = "oops, not json"
    split[19] = '{"id": 1, "cut'
    text = said("\n".join(split) + "\n\n")
    assert "198 rows, one JSON value a line; 2 lines are no JSON; 1 line blank" in text
    assert "- Line 10: not JSON, as it stands:\n  - 10: oops, not json" in text
    assert "- not JSON either: lines 20" in text


def test_a_broken_line_with_undecodable_bytes_is_quoted_as_documents_show_it() -> None:
    data = dumped(rows(20)).encode() + b'{"a": "\xff\xfe\n'
    assert document(data).lines.at(21) == '{"a": "\ufffd\ufffd'
    assert '  - 21: {"a": "\ufffd\ufffd' in said(data)


def test_of_a_long_tail_only_the_farthest_number_is_named() -> None:
    data = [{"ms": i % 10 if i % 50 else 1_000 + i} for i in range(1, 1_001)]
    text = said(dumped(data))
    assert "- Line 1000: .ms is 2000; most are" in text
    assert text.split("## Shape")[0].count(".ms is") == 1


def test_rows_that_are_quoted_stand_in_their_lines() -> None:
    data = dumped(rows())
    split = data.split("\n")
    for outline in kind.outline(document(data)):
        for section in outline.sections:
            for number, label in verbatim(section.entries):
                assert label in split[number - 1]


def test_a_row_far_longer_than_the_others_is_named() -> None:
    data = rows()
    data[99]["msg"] = "x" * 60_000
    assert "- Line 100: .msg has 60,000 characters; most have" in said(dumped(data))


def test_rows_longer_than_a_block_are_read() -> None:
    data = [{"id": i, "text": "y" * 300_000} for i in range(12)]
    text = said(dumped(data))
    assert "12 rows" in text
    assert "- .id: integer 0..11" in text


def test_a_line_that_is_too_long_is_skipped_and_the_numbers_after_it_stay_true() -> None:
    split = dumped(rows(40)).splitlines()
    split[9] = json.dumps({"id": 9, "level": "info", "msg": "z" * (kind.LONGEST + (1 << 21))})
    split[29] = json.dumps({"id": "odd", "level": "info", "msg": "m"})
    text = said("\n".join(split) + "\n")
    assert "1 further line not read" in text
    assert "- Line 30: .id is a string in 1 of 39" in text


def test_what_is_skipped_in_huge_files_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kind, "WHOLE", 1 << 20)
    data = dumped([{"id": i, "text": "y" * 1_000} for i in range(5_000)])
    text = said(data)
    read = int(text.split(" rows, one JSON")[0].rpartition("- ")[2].replace(",", ""))
    skipped = int(text.split(" further lines not read")[0].rpartition("- ")[2].replace(",", ""))
    assert read + skipped == 5_000
    assert 0 < read < 2_000


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1}\n{"a":2}',
        b'\xef\xbb\xbf{"a":1}\r\n{"a":2}\r\n',
        b'\x1e{"a":1}\n\x1e{"a":2}\n',
        b'{"a":NaN}\n{"a":' + b"9" * 9_000 + b"}\n",
        b"[" * 9_000 + b"\n[1]\n[2]\n",
        b'{"a":"\xff"}\n{"a":"\\ud800"}\n',
        b'[1]\n[2]\n"x"\n3\nnull\n',
        b'{"a":1} trailing\n{"a":2}\n{"a":3}\n',
        b'{"a":1,"a":2}\n{}\n',
    ],
)
def test_whatever_rows_come_the_map_is_made_and_fits(data: bytes) -> None:
    for target in (60, 200, 3_000):
        made = said(data, target)
        assert count(made) <= target
        made.encode()


def test_lines_that_are_mostly_no_json_are_left_to_the_generic_map() -> None:
    assert kind.outline(document("word\n" * 50 + '{"a": 1}\n')) is None


@settings(max_examples=count_examples(100), deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_break_it(trial, data: bytes) -> None:
    assert 0 <= kind.sniff(document(data)) <= 1
    trial(kind).check(data)


flat = st.dictionaries(st.sampled_from("abcdef"), st.none() | st.booleans() | st.integers() | st.text())


@pytest.mark.slow
@settings(max_examples=count_examples(80), deadline=None)
@given(st.lists(flat, min_size=1, max_size=60), st.integers(60, 1_500))
def test_presence_is_counted_exactly(data, target: int) -> None:
    text = said(dumped(data), target)
    assert count(text) <= target
    full = said(dumped(data), 20_000)
    for key in "abcdef":
        have = sum(key in row for row in data)
        if 0 < have < len(data):
            own = re.compile(rf"- \.(?:{key}:|\{{(?:\w, )*{key}[,}}])")  # four keys alike or more stand on one line
            assert f"in {have} of {len(data)}" in next(line for line in full.split("\n") if own.match(line))


def test_rows_are_told_from_one_document() -> None:
    two = dumped(rows(2))
    assert kind.sniff(document(two)) > whole.sniff(document(two))
    pretty = json.dumps(rows(), indent=2)
    assert kind.sniff(document(pretty)) == 0.0
    listed = "[\n" + ",\n".join(json.dumps(row) for row in rows()) + "\n]\n"
    assert kind.sniff(document(listed)) < whole.sniff(document(listed))


def test_rows_longer_than_the_head_are_known_by_how_they_begin() -> None:
    data = dumped([{"text": "x" * 200_000}, {"text": "y" * 200_000}])
    assert kind.sniff(document(data)) > whole.sniff(document(data))


def test_a_log_with_a_few_rows_is_not_claimed() -> None:
    assert kind.sniff(document("INFO start\n" * 30 + '{"a": 1}\n{"a": 2}\n')) == 0.0
