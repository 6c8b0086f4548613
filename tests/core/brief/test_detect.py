import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core import lines
from ctxkit.core.brief import detect
from ctxkit.core.brief.document import Document


def document(data: bytes, name: str = "", forced: str = "") -> Document:
    found = lines.of(data)
    return Document(found, found.read, len, 500, name, forced)


def test_the_kinds_are_the_files_of_their_folder_in_order():
    names = [kind.__name__.rpartition(".")[2] for kind in detect.all_kinds()]
    assert names == sorted(names)
    assert "text" in names


def test_no_two_kinds_answer_to_the_same_word():
    words = [word for kind in detect.all_kinds() for word in {kind.NAME, *kind.TYPES}]
    assert len(words) == len(set(words))
    assert detect.types() == sorted(set(words))


def test_what_the_user_names_is_certain():
    for word in detect.types():
        kind, sure = detect.kind_of(document(b'{"a": 1}', "x.json", word))
        assert word in (kind.NAME, *kind.TYPES)
        assert sure == 1.0


def test_an_unknown_name_raises_key_error():
    with pytest.raises(KeyError):
        detect.named("nothing")


@pytest.mark.parametrize("data", [b"", b"\n", b"just a few words\nof no kind at all\n", b"one"])
def test_what_no_kind_claims_is_text(data):
    kind, sure = detect.kind_of(document(data))
    assert kind is detect.fallback()
    assert sure >= 0.5


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text(alphabet='ab{}[]",:=- \n\t#|0.', max_size=200).map(str.encode)))
def test_every_kind_is_sure_from_0_to_1_and_none_fails_on_strange_input(data):
    for kind in detect.all_kinds():
        assert 0 <= kind.sniff(document(data)) <= 1
