"""Tests of the checker of statements: each map below holds one statement, true or not."""

import pytest

from bench.truth.check import check_map, count_statements
from bench.truth.statements import read_map

HEADER = "# stdin ({lines} lines, {size} bytes, 9 tokens{kind}): a map, not the content{quoted}"
LINTED = "\n".join(
    [
        "a.c:1:2: error: one thing",
        "a.c:5:2: error: other thing",
        "a.c:7:1: note: thing",
        "x",
        "x",
        "b.c:1:1: style:   far",
    ]
)


def complain(body: str, source: str, kind: str = "") -> list[str]:
    quoted = len(read_map(body).quoted_lines)
    header = HEADER.format(
        lines=source.count("\n") + 1,
        size=len(source.encode()),
        kind=f", {kind}" if kind else "",
        quoted=f"; {quoted} lines quoted" if quoted else "",
    )
    return [str(statement) for statement in check_map(f"{header}\n\n{body}\n", source.encode())]


@pytest.mark.parametrize(
    "body",
    [
        "- 1: a.c:1:2: error: one thing",
        "## Found here: 2 errors, in 2 files",
        "- Lines 1-2: 2 lines of this form",
        "- 2x, such as\n  - 1: a.c:1:2: error: one thing",
        "- 4: x\n- 2x the same line, the last at line 5",
        "- Lines 1-3: from a.c:1:2\n  - Lines 2-3: a.c",
        "## Lines 4-5, verbatim\nx\nx",
        "- 4: x\n  x\n  b.c:1:1: style:   far",
        "- Lines 6-6: from b.c:1:1: style: far",
        "- 4: x\n- 1 more of this form at line 5",
    ],
)
def test_true_statements(body: str) -> None:
    assert complain(body, LINTED) == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("- 1: a.c:1:2: error: another thing", "not on line 1"),
        ("- Lines 4-9: x", "no range"),
        ("- 4: x\n  y\n  b.c:1:1: style: far", "not on line 5"),
        ("## Found here: 1 error, in 2 files", "2 lines state one"),
        ("## Found here: 3 errors, in 2 files", "only 2 lines"),
        ("## Found here: 2 errors and 4 warnings, in 2 files", "only 0 lines"),
        ("- Lines 1-2: 3 forms", "3 forms in 2 lines"),
        ("- 4: x\n- 2 more of this form at lines 5, 6", "lines of 2 forms"),
        ("- 4: x\n- 2 more of this form at line 5", "1 named"),
        ("- 4: x\n- 9 more of this form, such as at line 5", "of a form of 2 lines"),
        ("- 4x, such as\n  - 1: a.c:1:2: error: one thing", "4x"),
        ("- 4: x\n- 2x the same line, the last at line 6", "line 6 is not the same"),
        ("- 4: x\n- 3x the same line, the last at line 5", "but 2"),
        ("- Lines 1-3: from b.c", "does not hold 'b.c'"),
        ("- Lines 1-3: no/such/path.c", "the input holds none"),
        ("- Lines 1-3: a.c\n  - Lines 3-5: x", "outside of 1-3"),
        ("- 40 passed", "only 0 marks"),
        ("- Line 4: 46,904 characters", "on a line of 1"),
        ("- Lines 1-6: the lines are sorted", "not sorted"),
        ("- Lines 1-6: 3 columns: a, b", "2 names"),
    ],
)
def test_false_statements(body: str, reason: str) -> None:
    complaints = complain(body, LINTED)
    assert any(reason in complaint for complaint in complaints), complaints


@pytest.mark.parametrize(
    ("kind", "source", "fits"),
    [
        ("json", '{"a": [1, 2]}', True),
        ("json", '{"a": 1}\n' * 9 + "text", True),
        ("json", "a: b\nc: d", False),
        ("json", "[0.1] a line of a log\n" * 30, False),
        ("history", "5ef7011 Merge\n77092a8 Fix", True),
        ("history", "main starts\nthen it ends\nand returns", False),
        ("diff", "plain words\nwithout hunks", False),
    ],
)
def test_kinds(kind: str, source: str, *, fits: bool) -> None:
    assert bool(complain("- Line 1: lines", source, kind)) is not fits


def test_listing_of_files_is_not_one_of_directories() -> None:
    paths = "\n".join(f"src/a{number}.c" for number in range(9))
    assert complain("- Lines 1-9: 9 files", paths) == []
    assert complain("- Lines 1-9: 9 directories", paths)


def test_sizes_of_json_elements() -> None:
    source = '{"a": [{"x": 1, "y": 2}], "b": 3}'
    assert complain("- Line 1: .a[0]: 2 keys\n- (top): object with 2 keys", source, "json") == []
    assert complain("- Line 1: .a[0]: 3 keys", source, "json")


def test_signatures_keep_their_stars() -> None:
    source = "def drop(self, key, *, path='/', **rest):\n    pass"
    assert complain("- def drop(self, key, *, path='/', **rest) at line 1", source, "python") == []
    assert complain("- def drop(self, key, path='/', rest) at line 1", source, "python")
    assert complain("- def lost(self) at line 1", source, "python")


def test_header_counts_lines_and_quotations() -> None:
    text = "# stdin (3 lines, 3 bytes, 9 tokens): a map, not the content; 2 lines quoted\n\n- 1: x\n"
    reasons = [statement.reason for statement in check_map(text, b"x\ny")]
    assert reasons == ["3 lines, but 2", "2 lines quoted, but 1"]


@pytest.mark.parametrize(
    ("body", "quoted"),
    [
        ("- 1: one\n  two", {1, 2}),
        ("- 1: - one\n  - two", {1, 2}),
        ("- 1: one:\n  - two", {1, 2}),
        ("- 1: one:\n  - 3: three", {1, 3}),
        ("- Lines 1-2: of one form\n  - 2: two", {2}),
        ("- Lines 1-2: of one form\n- 2: two", {2}),
        ("- Lines 1-20: of one form\n  two", set()),
    ],
)
def test_an_entry_quotes_several_lines_or_describes_them(body: str, quoted: set[int]) -> None:
    assert read_map(body).quoted_lines == quoted


def test_header_without_size_or_number_of_quotations() -> None:
    text = "# stdin (3 lines, about 9 tokens): a map, not the content\n\n- 1: x\n"
    assert [statement.reason for statement in check_map(text, b"x\ny")] == ["3 lines, but 2"]


def test_the_header_is_of_what_came_and_quotations_are_of_what_is_seen() -> None:
    source = b"\x1b[31m" * 400 + b"red \\u2063\n10%\r\xef\xbb\xbf99%\n\x1b[0m"
    text = f"# stdin (3 lines, {len(source)} bytes, 9 tokens): a map, not the content\n\n- 1: red \\u2063\n- 2: \\ufeff99%\n"
    assert check_map(text, source) == []
    assert [statement.reason for statement in check_map(text.replace("(3", "(2"), source)] == ["2 lines, but 3"]


def test_statements_are_counted() -> None:
    assert count_statements("# stdin (2 lines, 3 bytes)\n\n## Some\n- 1: x\n- Line 2: y\n") == 4


RUST = "pub struct Config {\n    model: String, // name\n    size: u32,\n}\n\npub fn run(\n    config: &Config,\n    fast: bool,\n) -> u32 {\n}"


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ("pub fn run(config: &Config, fast: bool) -> u32 — Run", ""),
        ("pub fn run(config: &Config) -> u32", "no such signature"),
        ("struct Config { model: String; size: u32 }", ""),
        ("struct Config { model: String; width: u32 }", "no field width"),
    ],
)
def test_signatures_have_every_parameter_and_field(label: str, reason: str) -> None:
    complaints = complain(f"- Lines {'1-4' if 'struct' in label else '6-10'}: {label}", RUST)
    assert bool(complaints) == bool(reason)
    assert reason in "".join(complaints)


def test_a_name_after_its_line_is_no_number_of_errors() -> None:
    assert complain("- 1-3 class Log: 2 errors, 3 name", "class Log:\n    def errors(): pass\n    name = 1") == []


def test_lines_that_differ_in_their_place_have_one_form() -> None:
    source = "tool: a.1:4:2: skipped\ntool: b.1:9:3: skipped\ntool: a.1:7:1: skipped\nend"
    assert complain("- 1: tool: a.1:4:2: skipped\n- 2 more of this form at lines 2, 3", source) == []


def test_lines_that_differ_in_names_with_digits_have_one_form() -> None:
    source = "".join(f"./x{number}.pp - x{number} is no module\n" for number in (1, 10, 2, 317)) + "end"
    assert complain("- 1: ./x1.pp - x1 is no module\n- 3 more of this form, such as at lines 2, 3, 4", source) == []
    assert complain("- 1: ./x1.pp - x1 is no module\n- 3 more of this form, such as at lines 2, 5", source)


PROSE = "There is NO warranty; not even for FITNESS FOR A\n" + "\n".join(["including a file of settings"] * 9)
CHECKS = "\n".join(f"/usr/lib/f{number}.so   OK" for number in range(9))


@pytest.mark.parametrize(
    ("body", "source", "kind"),
    [
        ("- Lines 2-10: 9 rows, 3 columns: There is NO warranty; not even for FITNESS, FOR, A", PROSE, ""),
        ("- 1: /usr/lib/f0.so   OK", CHECKS, "listing"),
    ],
)
def test_sparse_tables_and_results_are_no_kind(body: str, source: str, kind: str) -> None:
    assert len(complain(body, source, kind)) == 1


def test_tables_whose_cells_are_full_are_so() -> None:
    source = "\n".join(["name  size  used", *(f"disk{number}  1{number}  {number}" for number in range(9))])
    assert complain("- Lines 2-10: 9 rows, 3 columns: name, size, used", source) == []
