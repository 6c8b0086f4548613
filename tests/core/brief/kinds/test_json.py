import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import json as kind
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from tests.example_counts import count_examples

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(), inner, max_size=6),
    max_leaves=60,
)


def count(text):
    return (len(text.encode("utf-8", "surrogatepass")) + 2) // 3


def document(data, target=1_500, name="", forced=""):
    data = data if isinstance(data, bytes) else data.encode()
    return InputDocument(lines.lines_from_bytes(data), lambda at, n: data[at : at + n], count, target, name=name, content_type=forced)


def said(data, target=1_500, name=""):
    doc = document(data, target, name, forced="json")
    hint = Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "p", name)
    made = brief_document(doc, BriefingFrame(name or "x", doc.lines.total, doc.lines.size, 10_000, True, hint))
    assert not made.doubt
    return made.text


def ranges(entries):
    for entry in entries:
        if (entry.start or entry.end) and not entry.in_bytes:
            yield entry.start, entry.end
        yield from ranges(entry.children)


def rows(number=120):
    return [{"id": i, "name": f"user {i}", "state": ("open", "closed")[i % 2]} for i in range(number)]


def test_keys_have_the_lines_that_their_values_take() -> None:
    text = said(json.dumps({"name": "x", "scripts": {"a": "1", "b": "2"}, "end": True}, indent=2))
    assert '- Line 2: .name: string "x"' in text
    assert "- Lines 3-6: .scripts: object with 2 keys" in text
    assert "- Line 7: .end: boolean true" in text


def test_all_values_of_an_enumeration_are_listed_with_their_counts() -> None:
    assert '- [].state: string "open" ×60, "closed" ×60' in said(json.dumps(rows(), indent=1))


def test_a_list_of_values_that_is_cut_says_so() -> None:
    data = [{"kind": f"kind-{i % 30}"} for i in range(300)]
    text = said(json.dumps(data, indent=1))
    assert "+24 more values" in text


def test_a_rare_key_is_named_with_its_row_and_line() -> None:
    data = rows()
    data[57]["deleted_at"] = "now"
    text = json.dumps({"items": data}, indent=1)
    line = text.split("\n").index('   "deleted_at": "now"') + 1
    expected = f"- Line {line}: .items[].deleted_at is present in 1 of 120 (here .items[57])"
    assert expected in said(text)


def test_a_type_that_flips_is_named_with_its_line() -> None:
    data = rows()
    data[57]["id"] = "57"
    text = json.dumps(data, indent=1)
    line = text.split("\n").index('  "id": "57",') + 1
    assert f"- Line {line}: [].id is a string in 1 of 120; a number in 119 (here [57])" in said(text)


def test_a_null_and_a_missing_key_are_named_with_their_lines() -> None:
    data = rows()
    data[3]["id"] = None
    del data[99]["name"]
    text = json.dumps(data, indent=1)
    split = text.split("\n")
    null = split.index('  "id": null,') + 1
    assert f"- Line {null}: [].id is null in 1 of 120; a number in 119 (here [3])" in said(text)
    begin = split.index('  "id": 99,')
    assert f"- Lines {begin}-{begin + 3}: [].name is missing from 1 of 120 (here [99])" in said(text)


def test_a_number_far_outside_is_named_with_its_line() -> None:
    data = rows()
    data[88]["id"] = 10**9
    text = json.dumps(data, indent=1)
    line = text.split("\n").index('  "id": 1000000000,') + 1
    assert f"- Line {line}: [].id is 1000000000; most are" in said(text)


def test_even_rows_have_no_oddities() -> None:
    assert "Irregular" not in said(json.dumps(rows(), indent=1))


def test_json_on_one_line_has_bytes_instead_of_lines() -> None:
    data = [{"id": i, "text": "é" * 30} for i in range(100)]
    data[42]["extra"] = 1
    raw = json.dumps(data, ensure_ascii=False).encode()
    text = said(raw)
    assert "on one line" in text
    start, end = map(int, re.search(r"bytes (\d+)-(\d+): \[\]\.extra", text).groups())
    assert raw[start - 1 : end] == b'"extra": 1'
    start, end = map(int, re.search(r"bytes (\d+)-(\d+): \[0\] to", text).groups())
    assert raw[start - 1 : end].startswith(b'{"id": 0,')
    assert json.loads(b"[" + raw[start - 1 : end] + b"]")


def test_json_that_is_cut_off_says_where_and_maps_the_rest() -> None:
    text = json.dumps({"items": rows()}, indent=1)
    cut = text[: text.index('"user 100"') + 4]
    number = cut.count("\n") + 1
    assert f"- Line {number}: BROKEN at byte" in said(cut)
    assert "inside .items[100].name: it ends too early" in said(cut)
    assert ".items: array of 101 elements" in said(cut)


def test_json_that_breaks_early_is_left_to_the_generic_map() -> None:
    broken = '{"a": 1,\n oops\n' + '"b": 2,\n' * 500 + "}"
    assert kind.outline(document(broken)) is None


def test_a_line_before_json_with_comments_is_quoted_with_its_comment() -> None:
    text = said("@media (a: b /* wide */) c {\n{\"\": \"\",}\n")
    assert "- 1: @media (a: b /* wide */) c {" in text


def test_other_output_before_and_after_is_told_apart() -> None:
    body = json.dumps(rows(), indent=1)
    text = said(f"npm warn something\nnpm warn more\n{body}\nnpm notice done\n")
    assert "- Lines 1-2: before the JSON, not part of it\n  - 1: npm warn something" in text
    last = body.count("\n") + 4
    assert f"- Line {last}: after the JSON, not part of it\n  - {last}: npm notice done" in text


def test_documents_one_after_the_other_are_rows() -> None:
    text = said("\n".join(json.dumps({"a": i, "b": "x"}, indent=2) for i in range(20)))
    assert "20 JSON documents" in text
    assert "- .a: integer 0..19" in text


def test_keys_that_stand_twice_are_named() -> None:
    assert 'more than once (the last one counts here): "a"' in said('{"a": 1, "b": 2, "a": 3}')


def test_an_object_of_many_like_values_is_a_table() -> None:
    packages = {f"node_modules/p{i}": {"version": f"1.0.{i}"} for i in range(400)}
    text = said(json.dumps({"name": "x", "packages": packages}, indent=2))
    assert "- Lines 3-1204: .packages: object with 400 keys alike" in text
    assert '- Lines 4-33: .packages in "node_modules/": "p0" to "p9" (10 keys)' in text


@pytest.mark.quick_cases(9)
@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b"[]",
        b"[" * 100_000,
        b"[" * 3_000 + b"]" * 3_000,
        b'{"a":' * 3_000 + b"1" + b"}" * 3_000,
        b'{"a": NaN, "b": -Infinity}',
        b'{"a": ' + b"9" * 10_000 + b', "b": [1.5, ' + b"9" * 10_000 + b"]}",
        b'[1e999, -1e999, 0.1, "x"]',
        b'\xef\xbb\xbf{"a": 1}',
        b'{"a": "\\ud800", "\\udfff": 1}',
        b'{"a": "\xff\xfe", "\xff": 1}',
        b'{"": {"": {"": ""}}}',
        b'{"a": "x\ny\x00z"}',
        b'{"a": "\\u0000\\u001b[31m"}',
        b'[[[]], {}, [{}], null, true, 1, "x"]',
        b'{"a": 1}{"b": 2}[3]',
        b'{"a": 1,}',
        b'{"a" 1}',
        b'{"a": [1, 2, {"b": "c',
        b'{"a": 1}\x00\x00',
        b'["\\',
        b'{"\\',
        json.dumps([{f"k{i}-{j}": 1 for j in range(30)} for i in range(200)]).encode(),
        json.dumps({str(i): i for i in range(20_000)}).encode(),
    ],
)
def test_whatever_json_comes_the_map_is_made_and_fits(data) -> None:
    outlines = kind.outline(document(data)) or []
    for outline in outlines:
        for section in outline.sections:
            for start, end in ranges(section.entries):
                assert 1 <= start <= end <= document(data).lines.total
    for target in (60, 200, 3_000):
        made = said(data, target)
        assert count(made) <= target
        made.encode()
        assert "\x1b" not in made
        assert "\x00" not in made


@pytest.mark.slow
@settings(max_examples=count_examples(150), deadline=None)
@given(values, st.sampled_from([None, 0, 2]), st.integers(60, 2_000))
def test_no_json_breaks_the_map(value, indent: int | None, target: int) -> None:
    raw = json.dumps(value, indent=indent)
    made = said(raw, target)
    assert count(made) <= target
    with pytest.raises(ValueError):
        json.loads(made)
    for outline in kind.outline(document(raw, target)) or []:
        for section in outline.sections:
            for start, end in ranges(section.entries):
                assert 1 <= start <= end <= document(raw).lines.total


@pytest.mark.slow
@settings(max_examples=count_examples(60), deadline=None)
@given(
    st.lists(st.fixed_dictionaries({"id": st.integers(0, 100), "t": st.text(max_size=9)}), min_size=30),
    st.data(),
)
def test_a_planted_key_is_always_found(data, draw: st.DataObject) -> None:
    row = draw.draw(st.integers(0, len(data) - 1))
    data[row]["planted"] = True
    text = json.dumps(data, indent=1)
    line = text.split("\n").index('  "planted": true') + 1
    expected = f"Line {line}: [].planted is present in 1 of {len(data)} (here [{row}])"
    assert expected in said(text, 3_000)


@settings(max_examples=count_examples(100), deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_break_it(trial, data: bytes) -> None:
    assert 0 <= kind.sniff(document(data)) <= 1
    trial(kind).check(data)


@pytest.mark.parametrize(
    "text",
    [
        "[2025-01-01 10:00:00] INFO start\n" * 20,
        "[INFO] Building\n[INFO] done\n" * 20,
        "{ foo: bar, baz() }\n" * 10,
        "[1] 12345\n[1]+ Done  sleep 1\n",
        "[package]\nname = 'x'\n[dependencies]\n",
        "============ test session starts ============\nargs =\n{}\nassert 1 == 2\n",
        "body {\n  color: red;\n}\n",
        "",
        "plain words\n",
    ],
)
def test_what_only_begins_like_json_is_not_claimed(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0


def test_json_is_known_by_its_content() -> None:
    for indent in (None, 2):
        assert kind.sniff(document(json.dumps(rows(2_000), indent=indent))) >= 0.9
    assert kind.sniff(document(json.dumps({"a": "x" * 100_000}))) >= 0.9


HAND = """// settings of the compiler
{
  /* é */ "a": {
    "b": "http://x//y", // why
    "c": [1, 2,],
  },
}
"""


def test_json_with_comments_and_last_commas_is_mapped(trial) -> None:
    for name in ("tsconfig.json", "x.jsonc", "stdin"):
        assert trial(kind).known(HAND, name) == "json"
    text = trial(kind).map(HAND)
    assert "- Line 1: comments or commas before a closing bracket: no strict JSON from here on" in text
    assert '- Line 4: .a.b: string "http://x//y"' in text
    assert "- Line 5: .a.c: array of 2 elements" in text


def test_a_program_is_no_json_with_comments(trial) -> None:
    assert trial(kind).known("// a\nfunction f() {\n  return [1, 2,];\n}\n", "stdin") != "json"


@pytest.mark.slow
def test_json_that_is_too_large_to_read_as_a_whole_is_mapped_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    members = ",".join(f'"k{at}":{{"a":[{at},2]}}' for at in range(4_000))
    whole = said(f"{{{members}}}", 900)
    monkeypatch.setattr(kind, "WHOLE_BYTES", 10_000)
    text = said(f"{{{members}}}", 900)
    for shown in (whole, text):
        assert "on one line" in shown
        assert '(top): object with 4,000 keys alike ("k0", "k1", "k2", +3,997 more)' in shown
        assert "- .*.a[]: integer 0..3999" in shown


@pytest.mark.slow
def test_json_of_many_megabytes_is_mapped_the_same_way() -> None:
    members = ",".join(f'"k{at}":{{"a":[{at},2]}}' for at in range(800_000))
    text = said(f"{{{members}}}", 900)
    assert "on one line" in text
    assert '(top): object with 800,000 keys alike ("k0", "k1", "k2", +799,997 more)' in text
    assert "- .*.a[]: integer 0..799999" in text


def test_an_array_without_commas_is_no_json() -> None:
    log = "".join(f"[CV {n}] score=0.{n}\n" for n in range(90))
    matrix = "[[178   0   1]\n [  0 182   0]\n [  1   0 177]]\n"
    assert kind.outline(document(log + matrix)) is None


def test_json_that_is_followed_by_more_json_after_other_text_is_left_to_the_map_of_text() -> None:
    one = json.dumps({"name": "a", "version": "1.0", "keywords": ["b", "c"]}, indent=2)
    assert kind.outline(document(f"== a\n{one}\n== b\n{one}\n== c\n{one}\n")) is None
    assert kind.outline(document(f"== a\n{one}\ndone\n")) is not None
