import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.kinds import records as kind
from tests.core.brief.kinds.test_table import mapped
from tests.example_counts import count_examples


def make_packages(number=20, odd=7):
    blocks = [
        f"Package: name-{chr(97 + at % 26)}{at}\nStatus: install ok\nInstalled: 1.{at}\n"
        f"Candidate: {'2.0' if at == odd else f'1.{at}'}\nSize: {100 + at}\n"
        for at in range(number)
    ]
    return "\n".join(blocks)


def test_records_are_counted_and_named(trial) -> None:
    text = trial(kind).map(make_packages())
    assert "- Lines 1-119: 20 records of 5 to 6 lines" in text
    assert "- keys in all records: Package, Status, Installed, Candidate, Size" in text
    assert "- Lines 1-6: name-a0" in text


def test_keys_that_should_agree_are_odd(trial) -> None:
    text = trial(kind).map(make_packages())
    assert "- Candidate is not Installed in 1 of 20\n  - Line 46: name-h7: Installed 1.7, Candidate 2.0" in text


def test_a_key_that_few_have_is_odd(trial) -> None:
    text = trial(kind).map(make_packages().replace("Size: 105\n", "Size: 105\nEssential: yes\n"))
    assert "name-f5 has keys that few have: Essential\n  - 36: Essential: yes" in text


def test_values_have_their_ends_and_rare_ones_their_lines(trial) -> None:
    text = trial(kind).map(make_packages().replace("install ok\nInstalled: 1.9", "half ok\nInstalled: 1.9"))
    assert "- Status: install ok 19, Status: half ok 1 (at 56)" in text
    assert "- Size: 100 (line 5, name-a0) to 119 (line 119, name-t19)" in text


def test_blocks_below_unindented_names_are_records(trial) -> None:
    text = trial(kind).map("".join(f"{chr(97 + at)}eth:\n  state = up\n  mtu = {1500 + at}\n *** 10.0.0.{at}\n" for at in range(9)))
    assert "9 records of 4 lines; each begins with an unindented line" in text
    assert "- Lines 13-16: deth; " in text


def test_text_before_the_first_record_is_quoted(trial) -> None:
    text = trial(kind).map("a tool, version 7\n\n" + make_packages())
    assert "(before the first record)\na tool, version 7" in text


@pytest.mark.slow
def test_many_records_become_ranges(trial) -> None:
    text = trial(kind).map(make_packages(900), target=600)
    assert "900 records of 5 to 6 lines" in text
    assert " records, name-a0 to " in text


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    y: int = x\n    z: int = y\n    return z\n\n" * 9,
        "Some words of prose, and more of them.\nThey go on.\n\n" * 20,
        "a,b,c\n1,2,3\n" * 30,
        "".join(f"key{at} = {at}\n" for at in range(90)),
        "commit 1234567\nAuthor: a\nDate: b\n\n    text\n\n" * 9,
    ],
)
def test_other_content_is_left_alone(trial, text) -> None:
    assert trial(kind).known(text) != "records"


@given(st.lists(st.sampled_from(["a: 1", "b: 2", "  c = 3", "", "---", "[x]", "free text", "k:", "\x00", "é: ü"]), max_size=80))
@settings(max_examples=count_examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_breaks_it(trial, rows: list[str]) -> None:
    trial(kind).check("\n".join(rows), 300)


def test_records_with_other_output_after_them_are_none(trial) -> None:
    tail = "".join(f"step {chr(97 + at)} of the shutdown ended\n" for at in range(12))
    assert ", records): a map" in trial(kind).map(make_packages())
    assert ", records): a map" not in trial(kind).map(make_packages() + tail)


def test_a_record_begins_with_the_line_without_a_key_above_its_keys(trial) -> None:
    blocks = (f"{at:04x}-{at + 1:04x} r--p /usr/lib{at}\nSize: 4\nRss: {at}\nPss: 0\n" for at in range(9))
    text = trial(kind).map("".join(blocks))
    assert "9 records of 4 lines; each begins with a line without a key" in text
    assert "- Lines 29-32: /usr/lib7; Rss 7" in text


def test_a_key_with_other_values_at_another_indentation_is_not_the_same_everywhere(trial) -> None:
    blocks = (f"Name: n{chr(97 + at)}x\nVersion: 1\nArch: all\n  Version: {at}\n  Note: y\n\n" for at in range(9))
    text = trial(kind).map("".join(blocks))
    assert "the same wherever it stands: Arch all, Note y" in text


def test_keys_that_come_again_in_a_record_are_counted(trial) -> None:
    blocks = (f"dn: cn=n{chr(97 + at)}x\nid: {at}\nkind: k\n" + "member: m\n" * at + "\n" for at in range(9))
    assert "lines of keys that come again in a record: member 36" in trial(kind).map("".join(blocks))


@pytest.mark.slow
def test_short_names_of_many_records_are_all_listed(trial) -> None:
    text = trial(kind).map(make_packages(120), target=2000)
    assert "Records by name" in text or "Records, each after its first line" in text
    assert text.count("name-") >= 120


def test_lines_that_many_records_have_are_not_quoted_to_fill_a_map() -> None:
    rows = "".join(
        f"subject=CN = Authority {n}\nissuer=CN = Authority {n}\nnotAfter={n} Jan 2030\nConstraints: critical\n    CA:TRUE\n"
        for n in range(60)
    )
    text = mapped(rows, 600).text
    assert "of this form" not in text
    assert text.count("CA:TRUE") <= 1
