"""Rows of package lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.shapes.package_rows import FieldCounter, parse_package_row, shorten_row


@pytest.mark.parametrize(
    ("line", "name", "version", "fields"),
    [
        ("acl/stable,now 2.3.1-3 amd64 [installed]", "acl", "2.3.1-3", (("suite", "stable,now"), ("column 3", "amd64"), ("state", "[installed]"))),
        ("2048/stable 0.2022-1 all", "2048", "0.2022-1", (("suite", "stable"), ("column 3", "all"))),
        ("bash.x86_64    5.2.15-3.fc38   @updates", "bash.x86_64", "5.2.15-3.fc38", (("column 3", "@updates"),)),
        ("zlib 1:1.3-2", "zlib", "1:1.3-2", ()),
        ("numpy  1.26.4  py311h  conda-forge", "numpy", "1.26.4", (("column 3", "py311h"), ("column 4", "conda-forge"))),
        ("requests==2.31.0", "requests", "", ()),
        ("rake (13.0.6, 13.0.3)", "rake", "", ()),
        ("@scope/name@1.2.3", "", "", ()),
    ],
)
def test_forms(line: str, name: str, version: str, fields: tuple[tuple[str, str], ...]) -> None:
    row = parse_package_row(line)
    assert row is not None
    assert (row.name, row.version, row.fields) == (name, version, fields)


@pytest.mark.parametrize("line", ["", "Listing...", "1234 5.6.7", "x" * 300 + " 1.2", "two words here 1.2", "a b c d e f"])
def test_other_lines(line: str) -> None:
    assert parse_package_row(line) is None


@pytest.mark.parametrize(("version", "doubtful"), [("1.5", True), ("10.0.0.1", True), ("2024-01-02", True), ("12:30", True), ("1.5.0", False), ("1.5-2", False)])
def test_amounts_addresses_and_dates_are_doubtful(version: str, doubtful: bool) -> None:
    row = parse_package_row(f"name {version}")
    assert row is not None
    assert row.is_doubtful == doubtful


def test_usual_values_are_those_of_most_rows_if_all_rows_have_the_field() -> None:
    lines = ["a/s 1-1 all", "b/s 1-1 amd64", "c/s 1-1 amd64 [installed]"]
    counter = FieldCounter()
    rows = [row for line in lines if (row := parse_package_row(line))]
    for row in rows:
        counter.add(row)
    assert counter.find_usual() == {"suite": "s", "column 3": "amd64"}
    assert [shorten_row(row, counter.find_usual()) for row in rows] == ["a 1-1 all", "b 1-1", "c 1-1 [installed]"]
    assert {name: dict(counts) for name, counts in counter.counts.items()}["state"] == {"[installed]": 1}


@given(st.text(alphabet="ab1.-/ []@=(),:~\t", max_size=80))
def test_a_row_is_its_line_without_outer_blanks(line: str) -> None:
    row = parse_package_row(line)
    assert row is None or (row.text == line.strip() and row.name in row.text and row.version in row.text)
