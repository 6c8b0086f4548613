import pytest

from ctxkit.core.brief.shapes.line_forms import mask_words, read_form, read_forms


@pytest.mark.parametrize(
    ("line", "form", "key", "value"),
    [
        ("Name: bash", "0Name:", "Name", "bash"),
        ("  Not After : May 12 2025", "2Not After:", "Not After", "May 12 2025"),
        ("key_frame=1", "0key_frame=", "key_frame", "1"),
        ("a.b => c", "0a.b=>", "a.b", "c"),
        ("Bus 001 Device 002: ID 1d6b", "0Bus <*> Device <*>:", "Bus 001 Device 002", "ID 1d6b"),
        ("Handle 0x0001, DMI type 17, 40 bytes", "0~Handle <*> DMI type", "", ""),
        ("    0a:1b:2c:3d:", "4~<*>", "", ""),
        ("YWJj+ZGVm=", "0~YWJj+ZGVm=", "", ""),
        ("-----", "---", "", ""),
        ("*************************** 2. row ***************************", "<*> row", "", ""),
        ("-[ RECORD 12 ]---+-----", "<*> row", "", ""),
        ("x == y", "0~x == y", "", ""),
    ],
)
def test_a_line_has_a_form(line: str, form: str, key: str, value: str) -> None:
    assert read_form(line)[1:] == (form, key, value)


def test_blank_lines_and_rulers_are_told() -> None:
    blank, ruler = read_forms(["  ", "====="])
    assert blank.is_blank
    assert ruler.is_ruler


def test_words_with_digits_are_masked() -> None:
    assert mask_words("BSS ac:22 on wlan0 now later") == "BSS <*> on <*>"


@pytest.mark.parametrize("word", ["r--p", "rw-s", "-rw-r--r--", "drwxr-xr-x.", "---p"])
def test_permissions_do_not_tell_lines_apart(word: str) -> None:
    assert read_form(f"{word} start of row").form == read_form("r-xp start of row").form


@pytest.mark.parametrize("word", ["re-read", "--", "x-ray", "pre-start"])
def test_words_with_a_hyphen_tell_lines_apart(word: str) -> None:
    assert "<*>" not in read_form(f"{word} start of row").form


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("MD5sum: 1", "SHA256: 2", False),
        ("eth0: 1", "eth1: 2", True),
        ("dead1b3f: x", "beef0001: y", True),
    ],
)
def test_keys_that_differ_only_in_their_numbers_are_one(one: str, other: str, alike: bool) -> None:
    assert (read_form(one).form == read_form(other).form) == alike
