"""In which order the parts of a map enter it."""

from ctxkit.core.brief.focus.terms import split_focus
from ctxkit.core.brief.repository.file_scan import scan_file
from ctxkit.core.brief.repository.map_items import MapItem, count_matches, order_items
from ctxkit.engines.syntax import find_definitions

SOURCES = {
    "README.md": "# Cakes\n",
    "core.py": "def make_cake(): pass\ndef _hidden(): pass\n",
    "a.py": "from core import make_cake\n",
    "b.py": "from core import make_cake\ndef other(): pass\n",
    "vendor/c.py": "def copied(): pass\n",
}
FILES = [scan_file(path, text.encode(), find_definitions) for path, text in sorted(SOURCES.items())]
PATHS = [file.path for file in FILES]


def names(items: list[MapItem]) -> list[str]:
    return [FILES[item.file].symbols[item.at].name if item.at >= 0 else FILES[item.file].path for item in items]


def test_each_file_and_each_definition_enters_once_and_signatures_after_names() -> None:
    items = order_items(FILES)
    assert len(set(items)) == len(items)
    assert {item.file for item in items} == set(range(len(FILES)))
    for item in items:
        if item.signed:
            assert items.index(item) > items.index(item._replace(signed=False))


def test_what_others_use_comes_before_what_nobody_uses_and_vendored_files_last() -> None:
    order = names([item for item in order_items(FILES) if item.at >= 0 and not item.signed])
    assert order.index("make_cake") < order.index("other") < order.index("_hidden") < order.index("copied")


def test_the_focus_comes_first() -> None:
    assert names(order_items(FILES, split_focus("copied")))[0] == "copied"
    assert names(order_items(FILES, split_focus("vendor")))[0] in ("vendor/c.py", "copied")


def test_words_match_in_any_case() -> None:
    assert count_matches("Read_The HINT", split_focus("hint read zebra")) == 2


def test_no_files_have_no_parts() -> None:
    assert order_items([]) == []
