"""The index says what the kinds declare."""

from ctxkit.core.brief import kind_detection, kind_index


def test_each_kind_has_its_clues_and_its_types() -> None:
    kinds = dict(zip(kind_detection.KIND_NAMES, kind_detection.all_kinds(), strict=True))
    assert {name: kind.CLUES for name, kind in kinds.items()} == kind_index.CLUES
    assert {name: {kind.NAME, *kind.TYPES} for name, kind in kinds.items()} == {
        name: set(words) for name, words in kind_index.TYPES.items()
    }
