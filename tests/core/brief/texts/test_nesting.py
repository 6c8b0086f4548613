from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.outline import Entry
from ctxkit.core.brief.texts.nesting import nest_entries


def shape(entries):
    return [(entry.label, shape(entry.children)) for entry in entries]


def test_an_entry_is_below_the_last_one_of_a_higher_level() -> None:
    rows = [(1, "a"), (2, "b"), (4, "c"), (3, "d"), (1, "e"), (0, "f")]
    made = nest_entries((level, Entry(label)) for level, label in rows)
    assert shape(made) == [("a", [("b", [("c", []), ("d", [])])]), ("e", []), ("f", [])]


def test_what_an_entry_has_below_it_comes_first() -> None:
    made = nest_entries([(1, Entry("a", children=(Entry("own"),))), (2, Entry("b"))])
    assert shape(made) == [("a", [("own", []), ("b", [])])]


@given(st.lists(st.integers(0, 5), max_size=30))
def test_all_entries_stay_in_order(levels: list[int]) -> None:
    def walk(entries):
        for entry in entries:
            yield entry.label
            yield from walk(entry.children)

    made = nest_entries((level, Entry(str(place))) for place, level in enumerate(levels))
    assert list(walk(made)) == [str(place) for place in range(len(levels))]
