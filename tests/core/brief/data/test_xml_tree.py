from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.data.data_nodes import walk
from ctxkit.core.brief.data.xml_tree import read_xml
from tests.example_counts import count_examples


def test_elements_attributes_and_texts_are_read() -> None:
    found = read_xml(b"<a x='1'>\n <b>2</b>\n <b y='z'>t</b>\n <c/>\n <d>\n  <b>3</b>\n </d>\n</a>")
    assert found.root.value == {"a": {"@x": 1, "b": [2, {"@y": "z", "#text": "t"}], "c": None, "d": {"b": 3}}}
    assert found.names == {"a": 1, "b": 3, "c": 1, "d": 1}


def test_what_stands_more_than_once_anywhere_is_a_list_everywhere() -> None:
    assert read_xml(b"<r><p><i>1</i></p><p><i>1</i><i>2</i></p></r>").root.value == {
        "r": {"p": [{"i": [1]}, {"i": [1, 2]}]}
    }


def test_elements_know_their_lines() -> None:
    found = read_xml(b"<a>\n <b>\n  x\n </b>\n <b/>\n</a>\n")
    assert [(one.key, one.at, one.end - 1) for one in walk(found.root)][1:] == [
        ("a", 1, 6), ("b", 2, 5), (None, 2, 4), (None, 5, 5),
    ]  # fmt: skip


def test_on_one_line_elements_know_their_bytes() -> None:
    data = "<a é='1'><b>ü</b><b/></a>".encode()
    spans = [(one.key, data[one.at : one.end]) for one in walk(read_xml(data, by_bytes=True).root) if one.value != 1]
    assert spans[1:] == [
        ("a", data), ("b", b"<b>\xc3\xbc</b><b/>"), (None, b"<b>\xc3\xbc</b>"), (None, b"<b/>"),
    ]  # fmt: skip


def test_where_it_breaks_is_said_and_what_comes_before_is_read() -> None:
    found = read_xml(b"<a>\n<b>1</b>\n<c>\n</a>\n")
    assert found.broken == (4, "mismatched tag")
    assert found.root.value == {"a": {"b": 1, "c": None}}


def test_entities_of_its_own_end_the_reading() -> None:
    text = b"<!DOCTYPE a [<!ENTITY x 'aaaa'><!ENTITY y '&x;&x;'>]><a>&y;</a>"
    assert read_xml(text).root is None


def test_nesting_without_end_is_cut() -> None:
    assert read_xml(b"<a>" * 5_000).broken


@settings(max_examples=count_examples(100), deadline=None)
@given(st.binary(max_size=60), st.text(alphabet="<>/ab ='\"!?&;-[]\n", max_size=80))
def test_nothing_breaks_it(data: bytes, text: str) -> None:
    for content in (data, b"<r>" + text.encode() + b"</r>"):
        root = read_xml(content).root
        last = content.count(b"\n") + content.count(b"\r") + 1
        assert root is None or all(1 <= node.at <= node.end <= last + 1 for node in walk(root))


def test_lines_end_where_sed_ends_them() -> None:
    found = read_xml(b"<a>\r<b/>\r\n<c/></a>\n")
    assert {one.key: one.at for one in walk(found.root) if one.key} == {"a": 1, "b": 1, "c": 2}


def test_a_text_that_ends_early_breaks_on_its_last_line() -> None:
    assert read_xml(b"<a>\n<b>\n").broken[0] == 2
