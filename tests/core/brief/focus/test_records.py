from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.focus.records import Record, RecordFinder, find_names
from ctxkit.core.text.lines import lines_from_bytes

COMMITS = """commit 1a
Author: A
Date:   Mon

    Fix the parser

 a.py | 2 +-
 1 file changed

commit 2b
Author: B
Date:   Tue

    Add a test

 b.py | 9 ++
"""
PODS = """{
  "items": [
    {
      "metadata": {
        "name": "web"
      },
      "status": 1
    },
    {
      "metadata": {
        "name": "db"
      },
      "status": 2
    }
  ]
}
"""
TREE = """├─┬ jest@29
│ ├── debug@4
│ └─┬ glob@7
│   └── once@1
└─┬ eslint@8
  └── debug@4
"""


def find_ranges(text: str, number: int) -> list[tuple[int, int]]:
    """The records of a line."""
    rows = text.split("\n")[:-1]
    finder = RecordFinder()
    records: tuple[Record, ...] = ()
    for at, row in enumerate(rows, 1):
        finder.add(at, row)
        records = finder.find_records() if at == number else records
    return [finder.find_range(record, len(rows)) for record in records]


def names(text: str, start: int) -> list[str]:
    return [row.strip() for _, row in find_names(lines_from_bytes(text.encode()), start)]


def test_a_file_of_a_commit_belongs_to_the_commit() -> None:
    assert find_ranges(COMMITS, 7) == [(1, 9)]
    assert find_ranges(COMMITS, 16) == [(10, 16)]


def test_a_value_belongs_to_its_element_and_to_what_holds_it() -> None:
    assert find_ranges(PODS, 11) == [(1, 16), (2, 14), (9, 13), (10, 11)]
    assert (3, 7) in find_ranges(PODS, 5)


def test_the_branches_of_a_drawn_tree_are_an_indentation() -> None:
    assert find_ranges(TREE, 4) == [(1, 4), (3, 4)]
    assert find_ranges(TREE, 6) == [(5, 6)]


def test_lines_of_a_log_have_no_records() -> None:
    assert find_ranges("a\nb\nc\n", 2) == [(1, 3)]


def test_a_stanza_is_a_record() -> None:
    assert find_ranges("Package: a\nVersion: 1\n\nPackage: b\nVersion: 2\n", 5) == [(4, 5)]


def test_a_record_is_named_by_its_first_value_and_a_commit_by_its_subject_too() -> None:
    assert names(COMMITS, 10) == ["commit 2b", "Add a test"]
    assert names(PODS, 8) == ['"name": "db"']
    assert names(TREE, 5) == ["└─┬ eslint@8"]
    assert names("{\n[\n", 1) == ["{"]


@given(st.lists(st.sampled_from(["", "a", " b", "  c", "    d:", "- e", "├── f", "\t g"]), min_size=1, max_size=40))
def test_every_record_holds_its_line(rows: list[str]) -> None:
    text = "\n".join(rows) + "\n"
    for number, row in enumerate(rows, 1):
        if row.strip():
            ranges = find_ranges(text, number)
            assert all(start <= number <= end for start, end in ranges)
            assert len({start for start, _ in ranges}) == len(ranges)
