import pytest

from ctxkit.core.brief.shapes.record_layout import (
    BLANKS,
    MARGIN,
    RecordLayout,
    find_layout,
    mask_words,
    read_form,
    read_forms,
)


def test_the_first_common_key_begins_a_record() -> None:
    forms = read_forms("Name: a\nVersion: 1\nSize: 2\n".splitlines() * 5)
    layout = find_layout(forms, cut=False)
    assert layout.begin == "0Name:"
    assert layout.common == {"0Name:", "0Version:", "0Size:"}
    assert layout.is_regular({"0Name:", "0Size:"})
    assert not layout.is_regular({"0Name:"})


def test_a_record_begins_at_its_own_first_key_if_other_content_has_that_key_too() -> None:
    pods = [line for name in "abcdefgh" for line in (f"Name: {name}", "Namespace: x", "Node: y", "Status: z", "QoS: q", "")]
    node = ["Name: node", *(f"  key{at}: {at}" for at in range(6)), ""]
    assert find_layout(read_forms([*node, *pods]), cut=False).begin == "0Name:"


def test_names_at_the_margin_begin_records() -> None:
    lines = [line for name in "abcde" for line in (f"{name}:", "  x: 1", "  y: 2")]
    assert find_layout(read_forms(lines), cut=False).begin == MARGIN


def test_lines_without_common_keys_have_no_layout() -> None:
    assert find_layout(read_forms([f"k{chr(97 + at)}: {at}" for at in range(26)]), cut=False) is None
    assert find_layout([], cut=False) is None


def test_a_gap_begins_a_record() -> None:
    layout = RecordLayout(BLANKS, 0)
    assert layout.is_start(read_form("a"), read_form(""))
    assert not layout.is_start(read_form(""), read_form(""))


def test_records_that_consist_of_smaller_ones_have_no_layout():
    unit = ["[Unit]", "Description=a", "After=b", "[Service]", "ExecStart=c", "Type=d"]
    lines = [line for at in range(4) for line in (*unit * 6, "WantedBy=e")]
    layout = find_layout(read_forms(lines), cut=False)
    assert layout is None or layout.begin == "0~[Unit]"


def test_a_title_above_the_keys_begins_a_record() -> None:
    lines = [line for name in ("General", "Audio") * 4 for line in (name, "Count: 1", "Kind: 2", "Size: 3", "")]
    layout = find_layout(read_forms(lines), cut=False)
    assert (layout.begin, layout.is_titled) == (BLANKS, True)


KEYS = ["processor", "vendor", "model", "stepping", "cache", "cores", "bogomips"]


@pytest.mark.parametrize(("second", "fits"), [(KEYS, True), (KEYS[:5], False), ([*KEYS, "speed", "power"], False)])
def test_two_records_are_enough_if_they_have_many_keys_in_common(second: list[str], fits: bool) -> None:
    rows = [f"{key} : {len(key)}" for key in KEYS] + [""] + [f"{key} : 7" for key in second] + [""]
    layout = find_layout(read_forms(rows), cut=False)
    assert (layout is not None) == fits
    assert find_layout(read_forms(rows), cut=True) is None


def test_two_records_of_few_keys_are_not_enough() -> None:
    assert find_layout(read_forms([f"{key} : {at}" for at in range(2) for key in KEYS[:5]]), cut=False) is None


def test_the_last_key_of_a_record_does_not_begin_the_next_one() -> None:
    lines = [line for name in "abcdefghijklmnop" for line in (f"subject={name}", "issuer=x", "notAfter=y", "  CA", f"Print={name}")]
    assert find_layout(read_forms(lines), cut=False).begin == "0subject="


def test_records_whose_first_line_is_not_told_from_others_have_no_layout() -> None:
    lines = [
        line
        for name in "abcdefghijklmnop"
        for line in (f"INFO: begins {name}", f"INFO: ends {name}", "pages: 1", "tuples: 2", "reads: 3", f"INFO: scans {name}")
    ]
    assert find_layout(read_forms(lines), cut=False) is None


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
