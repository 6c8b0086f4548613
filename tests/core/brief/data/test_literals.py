from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.data.columns import StringColumn, ValueColumn
from ctxkit.core.brief.data.literals import (
    decode_surrogates,
    format_literal,
    format_number,
    format_step,
    format_values,
    quote_string,
    split_folder,
)


def column(kind, items):
    made = kind(1)
    made.add(items, range(1, len(items) + 1))
    return made


def test_keys_are_steps_of_a_path() -> None:
    assert format_step("user_name") == ".user_name"
    assert format_step("content-type") == '["content-type"]'
    assert format_step("日本") == '["日本"]'
    assert format_step("a b") == '["a b"]'
    assert format_step("") == '[""]'
    assert format_step('q"\n') == '["q\\"\\n"]'


@given(st.text(), st.integers(1, 20))
def test_quoted_strings_are_printable_and_say_what_they_lack(text: str, width: int) -> None:
    shown = quote_string(text, width)
    assert shown.isprintable()
    assert ("[+" in shown.rpartition('"')[2]) == (len(text) > width)


def test_scalars_are_written_as_json_writes_them() -> None:
    assert [format_literal(value) for value in (True, 1, 1.5, "x")] == ["true", "1", "1.5", '"x"']


def test_endless_integers_are_told_by_their_length() -> None:
    assert format_number(10**5_000) == "an integer of about 5,001 digits"


def test_all_values_are_listed_or_the_rest_is_counted() -> None:
    assert format_values(column(StringColumn, ["a", "a", "b"])) == '"a" ×2, "b" ×1'
    assert format_values(column(ValueColumn, [True, False, True])) == "true ×2, false ×1"
    many = format_values(column(StringColumn, [f"v{i % 20}" for i in range(100)]))
    assert many.endswith(", +14 more values")


def test_values_that_do_not_repeat_are_not_listed() -> None:
    assert format_values(column(StringColumn, [f"v{i}" for i in range(20)])) == ""


def test_undecodable_bytes_are_shown_as_documents_show_them() -> None:
    data = b"a\xff\xc3b"
    assert decode_surrogates(data.decode("utf-8", "surrogateescape")) == data.decode("utf-8", "replace")


def test_the_folder_that_keys_share_is_divided_from_their_ends() -> None:
    assert split_folder(["src/a/x.py", "src/a/y/z.py"]) == ("src/a/", ["x.py", "y/z.py"])
    assert split_folder(["src/ab", "src/ac"]) == ("src/", ["ab", "ac"])
    assert split_folder(["ab", "ac"]) == ("", ["ab", "ac"])
    assert split_folder([]) == ("", [])
