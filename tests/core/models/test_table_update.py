"""The changes of a table of models."""

from ctxkit.core.models.registry_data import ModelEntry
from ctxkit.core.models.table_update import compare_models, format_change

OLD, NEW = ModelEntry("b", 4096, 512, 0.5), ModelEntry("b", 8192)


def test_changes_are_sorted_and_show_the_figures_that_they_replace() -> None:
    same, added = ModelEntry("c", 1), ModelEntry("a", 200_000, 64_000, 3.0)
    changes = compare_models({"b": OLD, "c": same, "gone": same}, {"c": same, "b": NEW, "a": added})
    assert [format_change(change) for change in changes] == [
        "+ a  200,000, 64,000 out, $3",
        "~ b  4,096, 512 out, $0.5 -> 8,192",
        "  c  1",
    ]
    assert [change.state for change in changes] == ["added", "changed", "unchanged"]
