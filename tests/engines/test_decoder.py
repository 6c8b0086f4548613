"""JSON is read as the formats write it, by the book or not."""

import pytest

from ctxkit.engines.decoder import parse


def test_values_are_read() -> None:
    assert parse(b'{"a": [1, 2.5, null, true, "\xc3\xa9"]}') == {"a": [1, 2.5, None, True, "é"]}
    assert parse(b'{"a": "\\ud800"}') == {"a": "\ud800"}
    assert parse(b'["\xff"]') == ["\ufffd"]
    assert str(parse(b"[NaN]")) == "[nan]"


@pytest.mark.parametrize(("data", "line"), [(b"", 1), (b"{", 1), (b'{\n"a": 1,\n]', 3)])
def test_what_is_no_json_names_its_line(data: bytes, line: int) -> None:
    with pytest.raises(ValueError) as caught:
        parse(data)
    assert caught.value.lineno == line  # type: ignore[attr-defined]


def test_what_is_nested_too_deep_is_refused() -> None:
    with pytest.raises(ValueError):
        parse(b"[" * 100_000)
