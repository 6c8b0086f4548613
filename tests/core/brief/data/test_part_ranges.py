import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.data.part_ranges import PartRanges, find_title, format_name
from ctxkit.core.brief.data.schema import list_nodes
from ctxkit.core.brief.data.shape import DataShape
from ctxkit.core.text.positions import JsonMember, JsonPositions, decode_value, skip_blanks


def part_ranges(text, *, by_bytes=False):
    values, roots, position = [], [], 0
    while position < len(text):
        value, end = decode_value(text, position)
        values.append(value)
        roots.append(JsonMember(None, position, position, end))
        position = skip_blanks(text, end)
    root = DataShape(len(values) > 1)
    root.add(values, range(len(values)))
    return PartRanges(JsonPositions(text), roots, root, by_bytes=by_bytes)


def told(text, most, **options):
    return [(entry.start, entry.end, entry.label) for entry in part_ranges(text, **options).list_entries(most)]


def pretty(value):
    return json.dumps(value, indent=1)


def test_the_elements_of_an_array_are_named_by_number_and_by_what_they_hold() -> None:
    assert told(pretty([{"id": 7, "name": "x"}, ["a", "b"], {}, [1]]), 9) == [
        (2, 5, '[0]: 2 keys (id 7, name "x")'),
        (6, 9, "[1]: array of 2 elements"),
        (10, 10, "[2]: 0 keys"),
        (11, 13, "[3]: array of 1 element"),
    ]


def test_more_elements_than_may_be_told_are_told_in_round_numbers() -> None:
    rows = [{"id": number} for number in range(25)]
    assert told(pretty(rows), 5) == [
        (2, 16, "[0] to [4] (id 0 to id 4)"),
        (17, 31, "[5] to [9] (id 5 to id 9)"),
        (32, 46, "[10] to [14] (id 10 to id 14)"),
        (47, 61, "[15] to [19] (id 15 to id 19)"),
        (62, 76, "[20] to [24] (id 20 to id 24)"),
    ]


def test_short_neighbours_stand_together() -> None:
    assert told(pretty([1, 2, {"a": 1}, 3]), 9) == [
        (2, 3, "[0] to [1]"),
        (4, 6, "[2]: 1 key (a 1)"),
        (7, 7, "[3]: 3"),
    ]


def test_an_array_below_keys_is_told_by_its_path() -> None:
    value = {"count": 3, "page": {"items": [{"id": number} for number in range(6)]}}
    assert told(pretty(value), 3) == [
        (5, 10, ".page.items[0] to [1] (id 0 to id 1)"),
        (11, 16, ".page.items[2] to [3] (id 2 to id 3)"),
        (17, 22, ".page.items[4] to [5] (id 4 to id 5)"),
    ]


def test_objects_whose_keys_are_data_are_told_by_the_reach_of_their_keys() -> None:
    value = {f"user-{number:02}": {"id": number} for number in range(30)}
    assert told(pretty(value), 3) == [
        (2, 31, 'keys "user-00" to "user-09" (10 keys)'),
        (32, 61, 'keys "user-10" to "user-19" (10 keys)'),
        (62, 91, 'keys "user-20" to "user-29" (10 keys)'),
    ]


def test_of_paths_the_folder_is_named_once() -> None:
    files = {f"lib/tool/plugins/{chr(97 + number)}.py": {"line": number} for number in range(26)}
    first, *_, last = [text for _, _, text in told(pretty(files), 13)]
    assert (first, last) == (
        'keys in "lib/tool/plugins/": "a.py", "b.py" (2 keys)',
        'keys in "lib/tool/plugins/": "y.py", "z.py" (2 keys)',
    )
    assert told(pretty(files), 3)[0][2] == 'keys in "lib/tool/plugins/": "a.py" to "j.py" (10 keys)'


def test_a_long_part_is_entered() -> None:
    value = [{"id": 1, "rows": list(range(200))}]
    labels = [label for _, _, label in told(pretty(value), 20)]
    assert labels[0] == "[0]: 2 keys (id 1)"
    assert "[0].rows: array of 200 elements" in labels
    assert "[0].rows[0] to [49]" in labels


def test_on_one_line_bytes_are_told() -> None:
    text = json.dumps(["é", {"a": 1}], ensure_ascii=False)
    found = part_ranges(text, by_bytes=True).list_entries(9)
    assert [(entry.start, entry.end, entry.in_bytes) for entry in found] == [(2, 5, True), (8, 15, True)]
    assert [text.encode()[entry.start - 1 : entry.end].decode() for entry in found] == ['"é"', '{"a": 1}']


def test_several_documents_are_the_rows() -> None:
    assert told('{"a": 1}\n{"a": 2}\n', 9) == [(1, 1, "[0]: 1 key (a 1)"), (2, 2, "[1]: 1 key (a 2)")]


@pytest.mark.parametrize("text", ["7", '"text"', "null", "[]", "{}", '{"a": {"b": 1}}'])
def test_what_has_no_rows_has_no_parts(text: str) -> None:
    assert told(text, 9) == []


def test_a_path_that_is_there_once_is_placed_and_one_that_is_in_every_row_is_not() -> None:
    held = part_ranges(pretty({"meta": {"size": 2}, "items": [{"id": 1}, {"id": 2}]}))
    placed = {spot.path: held.make_group_entry([spot], spot.path, 5) for spot in list_nodes(held.root)}
    reach = {path: (entry.start, entry.end) for path, entry in placed.items()}
    assert reach == {
        "": (0, 0),
        ".meta": (2, 4),
        ".items": (5, 12),
        ".meta.size": (3, 3),
        ".items[]": (0, 0),
        ".items[].id": (0, 0),
    }
    assert {entry.rank for entry in placed.values()} == {5}


def test_an_entry_about_a_member_has_its_lines() -> None:
    held = part_ranges(pretty({"a": 1, "b": [2]}))
    first, last = held.places.members(0)
    assert (held.make_entry(first, "x", 3).start, held.make_entry(first, "x", 3).end) == (2, 2)
    assert (held.make_entry(last, "y", 3).start, held.make_entry(last, "y", 3).end) == (3, 5)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(st.text(max_size=4), inner, max_size=5),
    max_leaves=40,
)


@settings(deadline=None)
@given(values, st.integers(1, 20), st.sampled_from([None, 1]), st.booleans())
def test_no_more_parts_come_than_are_asked_for_in_the_order_of_the_text(value, most: int, indent: int | None, by_bytes: bool) -> None:
    text = json.dumps(value, indent=indent)
    found = part_ranges(text, by_bytes=by_bytes).list_entries(most)
    last = len(text.encode()) if by_bytes else text.count("\n") + 1
    assert len(found) <= most
    assert [entry.start for entry in found] == sorted(entry.start for entry in found)
    assert all(1 <= entry.start <= entry.end <= last for entry in found)


def test_a_run_of_few_objects_lists_their_titles() -> None:
    rows = [{"name": f"pkg{number}", "version": "1.0"} for number in range(10)]
    labels = [text for _, _, text in told(pretty(rows), 5)]
    assert labels[0] == "[0] to [1]: pkg0 1.0, pkg1 1.0"
    rows = [{"name": "x"} for number in range(10)]
    assert told(pretty(rows), 5)[0][2] == "[0] to [1]"


def test_objects_with_metadata_are_named_by_it() -> None:
    assert find_title({"kind": "Service", "metadata": {"name": "web", "namespace": "shop"}}) == "Service shop/web"
    assert find_title({"metadata": {"name": "jinja2", "version": "2.11.3"}}) == "jinja2 2.11.3"
    assert find_title({"metadata": {"name": "x"}}) == ""


def test_a_long_path_is_named_by_its_last_part() -> None:
    assert find_title({"SourceFile": "/usr/share/octave/7.3.0/imagelib/sombrero.png", "size": 3}) == "sombrero.png"
    assert find_title({"path": "a/b.py"}) == "a/b.py"
    assert find_title({"name": "a\nb", "title": "T"}) == "T"


def test_the_first_scalar_names_an_object_without_a_title() -> None:
    assert find_title({"size": 7, "id": "a"}) == ""
    assert format_name({"size": 7, "id": "a"}) == 'id "a"'
