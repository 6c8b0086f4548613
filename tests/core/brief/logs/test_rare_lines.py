from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.logs.rare_lines import make_index
from ctxkit.core.brief.logs.templates import NORMAL, Template


def form(number: int, text: str) -> Template:
    return Template(text, "INFO", NORMAL, number, number)


def words(text: str) -> int:
    return len(text.split())


def test_each_form_is_named_by_its_line_with_words_of_its_own() -> None:
    forms = [form(at * 10, f"2024-01-02 03:04:05 INFO server: {word} was lost") for at, word in enumerate("abcd", 1)]
    (entry,) = make_index("Rare", forms, words, 99, 2).entries
    assert (entry.start, entry.end, entry.rank) == (10, 40, 2)
    assert entry.label.startswith("10 a; 20 b; 30 c")


def test_ranges_span_no_more_than_a_reader_reads() -> None:
    forms = [form(at, f"event {chr(97 + at % 26)}x") for at in range(1, 2_000, 7)]
    for entry in make_index("Rare", forms, words, 10_000, 2).entries:
        assert entry.end - entry.start < 120
        assert not entry.verbatim


def test_short_of_room_forms_are_only_counted() -> None:
    forms = [form(at * 50, f"event number {chr(97 + at)} of some kind") for at in range(20)]
    labels = [entry.label for entry in make_index("Rare", forms, words, 1, 2).entries]
    assert set(labels) <= {"1 form", "2 forms", "3 forms"}
    assert sum(int(label.split()[0]) for label in labels) == 20


def test_forms_that_follow_one_another_are_one_range() -> None:
    forms = [form(at, f"step {chr(97 + at % 26)}{chr(97 + at // 26)} began") for at in range(30, 90)]
    (entry,) = make_index("Boot", forms, words, 500, 2).entries
    assert (entry.start, entry.end) == (30, 89)
    assert entry.label.startswith("60 forms, most lines another: ")


@given(st.lists(st.tuples(st.integers(1, 9_000), st.text(max_size=40)), unique_by=lambda pair: pair[0], max_size=60))
def test_every_form_stands_in_exactly_one_range(pairs) -> None:
    forms = [form(number, text) for number, text in pairs]
    entries = make_index("Rare", forms, len, 400, 2).entries
    for one in forms:
        assert sum(entry.start <= one.first <= entry.end for entry in entries) == 1
