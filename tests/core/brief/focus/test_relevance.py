from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.focus.relevance import Record, RecordFinder, Relevance, find_names
from ctxkit.core.text.lines import lines_from_bytes


def rank(rows: list[str], focus: str) -> list[int]:
    """The numbers of the lines in the order of their relevance."""
    return [line.number for line in make(rows, focus).rank()]


def make(rows: list[str], focus: str) -> Relevance:
    return Relevance(lines_from_bytes("".join(f"{row}\n" for row in rows).encode()), focus)


NOISE = [f"step {number} is done" for number in range(1, 200)]


def test_the_line_with_most_rare_words_is_first() -> None:
    rows = [*NOISE, "disk of the node", "the disk is full", "full"]
    assert rank(rows, "why is the disk full")[0] == 201


def test_a_rare_word_weighs_more_than_a_frequent_one() -> None:
    rows = [*NOISE, *("warning: slow" for _ in range(15)), "fatal: lost"]
    assert rank(rows, "warning or fatal")[0] == 215


def test_frequent_words_do_not_count_beside_rare_ones() -> None:
    relevance = make([*NOISE, "the heron landed"], "step of the heron")
    assert (relevance.total, [line.number for line in relevance.rank()]) == (1, [200])


def test_frequent_words_count_where_there_are_no_others() -> None:
    assert make(NOISE, "steps").total == 199


def test_parts_of_words_count_where_no_word_does() -> None:
    assert rank([*NOISE, "android"], "droid") == [200]
    assert rank([*NOISE, "f(x)"], "(") == [200]


def test_a_used_word_makes_room_for_another() -> None:
    rows = [*NOISE, *(f"disk {number} of a b" for number in range(6)), *(f"network {number}" for number in range(9))]
    assert len({number >= 206 for number in rank(rows, "disk and network")[:2]}) == 2


def test_each_text_once() -> None:
    assert len(rank([*NOISE, "the heron", "the heron ", "the heron"], "heron")) == 1


def test_lines_that_differ_in_numbers_only_come_three_times() -> None:
    rows = [
        *NOISE,
        *(f"10:00:0{number} req={number}bfec8df timeout after {number} s" for number in range(9)),
        "no timeout",
    ]
    assert sorted(rank(rows, "timeouts")) == [200, 201, 202, 209]


def test_a_record_with_all_words_comes_before_records_with_one() -> None:
    rows: list[str] = []
    for number in range(60):
        space, code = ("pay", "core", "web")[number % 3], 139 if number in (3, 10, 20) else 1
        rows += ["  {", f'    "name": "pod{number}",', f'    "space": "{space}",', f'    "exitCode": {code}', "  },"]
    best = next(iter(make(rows, "which pod has exit code 139 in the space pay").rank()))
    assert (best.number, best.record) == (19, 16)


def test_a_long_line_is_read_whole_and_its_colours_are_no_letters() -> None:
    relevance = make([*NOISE, "x" * 5_000 + " heron", "\x1b[31mheron\x1b[0m"], "heron")
    assert {line.number: (len(line.text), line.term) for line in relevance.rank()} == {
        200: (5_006, "heron"),
        201: (5, "heron"),
    }


def test_a_label_is_rated_as_a_line() -> None:
    relevance = make([*NOISE, "def parse_config(): reset()"], "parse_config")
    assert relevance.rate_text("parse_config()") > relevance.rate_text("reset()") == 0


@given(st.lists(st.sampled_from(["alpha beta", "Beta", "  ALPHA", "x", "", "İ alpha", "{", "}"]), max_size=40))
def test_every_line_holds_a_word_and_none_comes_twice(rows: list[str]) -> None:
    relevance = make(rows, "alpha beta")
    lines = list(relevance.rank())
    assert all("alpha" in line.text.lower() or "beta" in line.text.lower() for line in lines)
    assert len({(line.record, line.text.strip()) for line in lines}) == len(lines)
    assert bool(lines) == bool(relevance.total) == any("a" in row.lower() for row in rows)


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
