from ctxkit.core.brief.data.schema import Schema, list_nodes, make_unplaced_entry
from ctxkit.core.brief.data.shape import DataShape


def shape_of(values):
    shape = DataShape(True)
    shape.add(values, range(1, len(values) + 1))
    return shape


def said(values, most=100):
    entries, hidden = Schema(shape_of(values)).build_entries(most, make_unplaced_entry)
    return [entry.label for entry in entries], hidden


def test_every_path_is_a_real_one_and_outer_ones_come_first() -> None:
    shape = shape_of([{"a": {"b": [{"c": 1}]}, "d": 2}])
    assert [spot.path for spot in list_nodes(shape)] == ["", ".a", ".d", ".a.b", ".a.b[]", ".a.b[].c"]


def test_paths_left_out_are_counted_and_their_keys_are_named_above() -> None:
    rows = [{"a": {"b": 1, "c": 2}, "d": 3}] * 3
    assert said(rows, 3) == (
        ["(top): object with 2 keys", ".a: object with 2 keys (keys b, c)", ".d: integer 3 ×3"],
        2,
    )


def test_presence_is_told_where_it_is_not_total() -> None:
    labels, _ = said([{"a": 1}, {"a": 2}, {}])
    assert labels[1] == ".a: integer 1 ×1, 2 ×1, in 2 of 3"


def test_types_are_told_with_counts_where_there_are_several() -> None:
    labels, _ = said([{"a": 1}, {"a": None}, {"a": 7}])
    assert labels[1] == ".a: integer ×2 1 ×1, 7 ×1 | null ×1"


def test_long_strings_without_interest_are_told_together() -> None:
    row = {f"{name}_url": f"https://example.org/{'x' * 40}/{name}" for name in ("a", "b", "c", "d")}
    labels, hidden = said([row])
    assert labels[1].startswith(".{a_url, b_url, c_url, d_url}: strings of 62 chars, the first e.g. ")
    assert hidden == 0


def test_objects_that_lack_keys_have_different_keys() -> None:
    labels, _ = said([{"a": 1, "b": 2}, {"a": 1, "c": 3}])
    assert labels[0] == "(top): object with 3 different keys"
