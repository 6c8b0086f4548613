import pytest

from ctxkit.core.brief.data.dataset import MIN_ENTRIES, PartsIndex, build_data_outlines
from ctxkit.core.brief.data.shape import DataShape
from ctxkit.core.brief.outline import Entry


def shape_of(values):
    shape = DataShape(True)
    shape.add(values, range(1, len(values) + 1))
    return shape


def rows_of(keys):
    return shape_of([{f"key{number}": number for number in range(keys)}] * 3)


def places(most):
    return [Entry(f"rows {number}", number, number) for number in range(1, most + 1)]


def made(root, odd=0, target=2000, where=places):
    parts = PartsIndex("Where", "parts", where)
    return build_data_outlines(
        "json",
        [Entry("3 rows")],
        [Entry(f"odd {number}", number, number) for number in range(1, odd + 1)],
        root,
        parts,
        target,
    )


def sections(outline):
    return {section.noun: section for section in outline.sections}


def labels(outline, noun):
    return [entry.label for entry in sections(outline)[noun].entries]


def test_a_map_has_its_summary_then_what_is_odd_the_shape_and_the_parts() -> None:
    first = made(shape_of([{"id": 1}, {"id": 2}]), odd=1)[0]
    assert first.kind == "json"
    assert [section.title for section in first.sections] == [
        "",
        "Irregular",
        "Shape (a schema; paths, types, how often)",
        "Where",
    ]
    assert labels(first, "entries") == ["3 rows"]
    assert labels(first, "irregularities") == ["odd 1"]
    assert labels(first, "paths") == ["(top): object with 1 key", ".id: integer 1 ×1, 2 ×1"]


@pytest.mark.parametrize("target", [0, 100, 1000, 8000])
@pytest.mark.parametrize("odd", [0, 1, 50])
def test_each_map_is_poorer_than_the_one_before_down_to_the_poorest(target: int, odd: int) -> None:
    sizes = [
        sum(len(section.entries) for section in outline.sections[1:])
        for outline in made(rows_of(60), odd=odd, target=target)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] <= MIN_ENTRIES + 1  # one more to say that oddities are left out


def test_a_small_target_begins_with_a_smaller_map() -> None:
    large, small = made(rows_of(60), target=8000), made(rows_of(60), target=400)
    assert len(large) > len(small)
    assert len(labels(large[0], "paths")) == 61
    assert len(labels(small[0], "paths")) == 38


def test_oddities_left_out_are_counted() -> None:
    first = made(rows_of(3), odd=90, target=240)[0]
    assert labels(first, "irregularities") == [
        *(f"odd {number}" for number in range(1, 16)),
        "75 more like these, not shown",
    ]


def test_paths_left_out_are_counted_in_the_heading() -> None:
    last = made(rows_of(60))[-1]
    shown = len(labels(last, "paths"))
    assert sections(last)["paths"].title == (
        f"Shape (a schema; paths, types, how often; {61 - shown} deeper or further paths not shown)"
    )


def test_what_the_shape_leaves_free_goes_to_the_parts() -> None:
    asked = []

    def where(most):
        asked.append(most)
        return []

    made(shape_of([1, 2]), target=800, where=where)
    assert asked[0] == 42 - 1
    assert asked == sorted(asked, reverse=True)
