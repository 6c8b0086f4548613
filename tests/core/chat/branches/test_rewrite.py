"""What no change names keeps its bytes, whatever is dropped, patched or inserted around it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.branches.rewrite import Change, apply_change
from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.formats import anthropic, openai
from ctxkit.core.chat.reading.transcript import parse_transcript
from tests.example_counts import count_examples

ODD = [
    '{"role": "user", "content": "é 中 \\ud83d\\ude00 \\ud800", "n": 123456789012345678901234567890}',
    '{"role":"assistant","content":"a","role":"user","x":[1.10,NaN,-0.0,1e400,Infinity]}',
    '{ "content" :\t"\U0001f600 <|endoftext|>" , "role" : "assistant" }',
    '{"role":"user","content":"raw \udcff\udc80 bytes"}',
    '{"role":"assistant","content":[{"type":"text","text":"\\u0000"},{"type":"image","data":"AA=="}]}',
    '{"role":"tool","tool_call_id":"1","content":""}',
]
"""Entries as they come: odd numbers, keys that come twice, blanks, surrogates, bytes that are no text."""
ENTRIES = st.lists(st.sampled_from(ODD), min_size=1, max_size=7)
BLANKS = st.sampled_from(["", " ", "\n", "\r\n", "\t", "\n    "])
NEW = {"role": "user", "content": "new \udcff 中"}


@st.composite
def lines(draw):
    """Write entries one a line, with blank lines and without an end, in several encodings."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    between = [draw(st.sampled_from([end, end * 2, f" {end}", f"{end}  {end}", f"{end}\t"])) for _ in range(7)]
    entries = draw(ENTRIES)
    text = draw(st.sampled_from(["", "\ufeff", "\n\n"])) + "".join(map("".join, zip(entries, between, strict=False)))
    text = text.rstrip() if draw(st.booleans()) else text
    return encoded(text, draw), entries


@st.composite
def documents(draw):
    """Write entries as a list, alone or among the members of a request, laid out in any way."""
    entries = draw(ENTRIES)
    blank = [draw(BLANKS) for _ in range(4)]
    body = "[" + blank[0] + f"{blank[1]},{blank[2]}".join(entries) + blank[3] + "]"
    before, after = draw(st.sampled_from([("", ""), ('{"messages": [1], "messages":', ', "n": 1.10}'), ('{"messages":', "}\n")]))
    return encoded(before + body + after, draw), entries


def encoded(text, draw):
    encoding = draw(st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]))
    if encoding == "utf-8":
        return text.encode("utf-8", "surrogateescape")
    return f"\ufeff{text.removeprefix(chr(0xFEFF))}".encode(encoding, "surrogatepass")


def read(data):
    return parse_transcript(data, "chat", openai)


@given(lines() | documents())
def test_without_a_change_every_byte_stays(made) -> None:
    data, entries = made
    transcript = read(data)
    assert [transcript.get_raw(record) for record in transcript.records] == entries
    assert transcript.encode(apply_change(transcript, Change())) == data


@given(lines() | documents(), st.frozensets(st.integers(0, 6)))
def test_what_is_not_dropped_keeps_its_text(made, dropped) -> None:
    data, entries = made
    stay = [entry for at, entry in enumerate(entries) if at not in dropped]
    text = apply_change(transcript := read(data), Change(dropped=dropped))
    if transcript.syntax == "lines" and not stay:
        assert not text.strip("\ufeff \t\r\n")
        return
    again = read(transcript.encode(text))
    assert [again.get_raw(record) for record in again.records] == stay
    assert again.syntax == transcript.syntax or len(stay) < 2


@given(lines() | documents(), st.frozensets(st.integers(0, 6)), st.dictionaries(st.integers(0, 7), st.integers(1, 3)))
def test_what_is_inserted_is_read_back_where_it_was_put(made, dropped, inserted) -> None:
    data, entries = made
    inserted = {at: number for at, number in inserted.items() if at <= len(entries)}
    transcript = read(data)
    text = apply_change(transcript, Change(dropped, {}, {at: [NEW] * number for at, number in inserted.items()}))
    wanted = []
    for at in range(len(entries) + 1):
        wanted += [None] * inserted.get(at, 0)
        wanted += [entries[at]] if at < len(entries) and at not in dropped else []
    if wanted or transcript.syntax == "document":
        again = read(transcript.encode(text))
        assert [None if record.value == NEW else again.get_raw(record) for record in again.records] == wanted


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def places(value, place=()):
    yield place
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, held in inside:
        yield from places(held, (*place, step))


def changed(value, patch):
    """Return a value with a patch made, as Python would make it."""
    if not patch.place:
        return patch.value
    step, *rest = patch.place
    copy = dict(value) if isinstance(value, dict) else list(value)
    if rest:
        copy[step] = changed(copy[step], patch._replace(place=tuple(rest)))
    elif patch.action == "remove":
        del copy[step]
    elif patch.action == "insert":
        copy.insert(step, patch.value)
    else:
        copy[step] = patch.value
    return copy


@settings(max_examples=count_examples(150))
@given(VALUES, st.data(), st.sampled_from([None, 1, "\t"]))
def test_a_patch_changes_what_it_names_and_nothing_else(extra, data: st.DataObject, indent) -> None:
    value = {"role": "user", "content": "a", "extra": extra}
    inside = [place for place in places(value) if place[:1] == ("extra",)]
    place = data.draw(st.sampled_from(inside))
    listed = bool(place) and isinstance(place[-1], int)
    how = data.draw(st.sampled_from(["replace", "remove", *(["insert"] if listed else [])]))
    patch = ValuePatch(place, {"new": [1.5, "é"]}, how)
    transcript = read(json.dumps([value, value], indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    again = read(transcript.encode(apply_change(transcript, Change(patches={0: [patch]}))))
    assert again.records[0].value == changed(value, patch)
    assert again.get_raw(again.records[1]) == transcript.get_raw(transcript.records[1])


@given(st.integers(1, 6), st.data(), st.sampled_from([None, 2]))
def test_any_elements_of_a_list_can_be_removed_and_others_put_in(number: int, data: st.DataObject, indent: int | None) -> None:
    blocks = [{"type": "text", "text": str(at)} for at in range(number)]
    removed = data.draw(st.frozensets(st.integers(0, number - 1)))
    put = data.draw(st.lists(st.integers(0, number), max_size=4))
    renamed = data.draw(st.frozensets(st.integers(0, number - 1))) - removed
    patches = [
        *(ValuePatch(("content", at), action="remove") for at in removed),
        *(ValuePatch(("content", at), f"new {at}", "insert") for at in put),
        *(ValuePatch(("content", at, "text"), "other") for at in renamed),
    ]
    patches = data.draw(st.permutations(patches))
    wanted = []
    for at in range(number + 1):
        wanted += [f"new {at}"] * put.count(at)
        if at < number and at not in removed:
            wanted.append({"type": "text", "text": "other" if at in renamed else str(at)})
    said = json.dumps({"role": "user", "content": blocks}, indent=indent).encode()
    transcript = parse_transcript(said, "chat", anthropic)
    text = apply_change(transcript, Change(patches={0: patches}))
    assert json.loads(text) == {"role": "user", "content": wanted}


def test_a_member_that_is_absent_is_added_and_one_that_comes_twice_is_changed_where_it_counts() -> None:
    data = b'{"role":"user","content":"a","content":"b"}\n{"role":"user","content":[]}\n'
    patches = {0: [ValuePatch(("content",), "c"), ValuePatch(("id",), 7)], 1: [ValuePatch(("content", 0), "d", "insert")]}
    text = apply_change(read(data), Change(patches=patches))
    assert text == '{"role":"user","content":"a","content":"c","id":7}\n{"role":"user","content":["d"]}\n'
    gone = apply_change(read(data), Change(patches={0: [ValuePatch(("content",), action="remove")]}))
    assert gone.startswith('{"role":"user"}\n')
    whole = apply_change(read(data), Change(patches={0: [ValuePatch((), [1])]}))
    assert whole.startswith("[1]\n")


@pytest.mark.parametrize("place", [("content", "x"), ("content", 0), ("nothing", "x"), ("extra", 3), ("extra", 0, "x")])
def test_a_patch_where_there_is_no_such_place_is_refused(place) -> None:
    transcript = read(b'{"role":"user","content":"a","extra":[1]}')
    with pytest.raises(KeyError):
        apply_change(transcript, Change(patches={0: [ValuePatch(place, 1)]}))


def test_lines_end_as_those_around_them() -> None:
    new = {0: [NEW], 2: [NEW]}
    body = '{"role":"user","content":"new \\udcff \\u4e2d"}'
    entry = '{"role":"user","content":"a"}'
    crlf = apply_change(read(f"{entry}\r\n{entry}\r\n".encode()), Change(inserted=new))
    assert crlf == "".join(f"{one}\r\n" for one in (body, entry, entry, body))
    bare = apply_change(read(f"{entry}\n{entry}".encode()), Change(inserted=new))
    assert bare == f"{body}\n{entry}\n{entry}\n{body}"
    last = apply_change(read(f"{entry}\n{entry}".encode()), Change(frozenset({1}), {}, new))
    assert last == f"{body}\n{entry}\n{body}"


def test_a_document_is_laid_out_as_it_was() -> None:
    document = '{\n  "messages": [\n    {"role": "user", "content": "a"},\n    {"role": "user", "content": "b"}\n  ]\n}\n'
    text = apply_change(read(document.encode()), Change(frozenset({0}), {}, {2: [{"role": "user", "content": "c"}]}))
    assert text == '{\n  "messages": [\n    {"role": "user", "content": "b"},\n    {"role":"user","content":"c"}\n  ]\n}\n'
    none = apply_change(read(document.encode()), Change(frozenset({0, 1})))
    assert json.loads(none) == {"messages": []}
