"""Maps of repositories: within their target, the same each time, and true to the files."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.focus.terms import split_focus
from ctxkit.core.brief.repository.file_scan import scan_file
from ctxkit.core.brief.repository.repository_file import RepositoryFile, Role, Symbol
from ctxkit.core.brief.repository.repository_map import (
    MapItem,
    MapLayout,
    Repository,
    count_closed,
    count_matches,
    format_closed,
    list_ancestors,
    make_repository_map,
    order_items,
    render_names,
    render_one_line,
)
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.engines.syntax import find_definitions

HINT = Hint(PRESETS["sed"])
NAMES = st.sampled_from(["make_cake", "Oven", "bake", "text", "get", "_hidden"])
BODIES = st.sampled_from(["pass", "make_cake(1)", "Oven().bake()", "from core import Oven", "text = 1"])


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]|\s", text))


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Return a module with functions and classes on various lines."""
    parts = []
    for name in draw(st.lists(NAMES, max_size=5)):
        body = draw(BODIES)
        blank = "\n" * draw(st.integers(0, 3))
        function = f"def {name}(a,\n        b=2) -> int:\n    {body}\n"
        parts.append(blank + draw(st.sampled_from([function, f"class {name}:\n    def bake(self):\n        {body}\n"])))
    return "".join(parts)


PATHS = st.sampled_from(
    ["core.py", "a/b.py", "a/c d.py", "tests/test_a.py", "vendor/x.py", "README.md", "a\nb.py", "z/\x1b[2J.py", "k.bin"]
)
TREES = st.dictionaries(PATHS, sources(), max_size=7)


def make_repository(tree: dict[str, str]) -> Repository:
    files = [scan_file(path, text.encode(), find_definitions) for path, text in sorted(tree.items())]
    return Repository("cakes/", "cakes/", files)


@pytest.mark.slow
@given(TREES, st.integers(0, 700))
def test_a_map_is_within_its_target_and_the_same_each_time(tree: dict[str, str], target: int) -> None:
    made = make_repository_map(make_repository(tree), HINT, count, target)
    assert made == make_repository_map(make_repository(tree), HINT, count, target)
    if made is None:
        assert count(render_one_line(make_repository(tree))) > target
        return
    assert count(made.text) == made.tokens <= target
    assert made.text.replace("\n", "").isprintable()


@given(TREES, st.integers(60, 700))
def test_a_number_before_a_name_is_its_line_and_a_signature_is_text_of_it(tree: dict[str, str], target: int) -> None:
    made = make_repository_map(make_repository(tree), HINT, count, target)
    for path, line, label in read_claims(made.text if made else ""):
        text = "".join("\n".join(tree[path].split("\n")[line - 1 :]).split())
        assert "".join(label.rpartition(".")[2].split()) in text, (path, line, label)


@given(TREES, st.integers(60, 700))
def test_each_file_is_named_or_counted_once(tree: dict[str, str], target: int) -> None:
    made = make_repository_map(make_repository(tree), HINT, count, target)
    rows = made.text.split("\n\n") if made else []
    if len(rows) < 2 or not tree:
        return
    rows = rows[1].split("\n")
    singles = [row for row in rows if re.match(r"## .*\.(py|md|bin)['\"]?(:|$)", row)]
    shared = [row for row in rows if re.match(r"## (?!Other).* \(.*files?\)$", row)]
    others = [int(number) for row in rows if row.startswith("## Other") for number in re.findall(r"\((\d+) files?", row)]
    assert sum(others) + len(singles) + sum(int(re.findall(r"(\d+) files?\)", row)[0]) for row in shared) == len(tree)


def read_claims(text: str) -> list[tuple[str, int, str]]:
    """Return the path, the line and the label of each definition on a map whose paths need no quotes."""
    claims: list[tuple[str, int, str]] = []
    directory = path = ""
    for row in text.split("\n"):
        if match := re.fullmatch(r"## (\S+/) \(.*\)", row):
            directory = match[1].removeprefix("./")
        elif match := re.fullmatch(r"(## |- )([^\s']+\.(?:py|md))(?:: ?(.*))?", row):
            path = match[2] if match[1] == "## " else directory + match[2]
            claims += [(path, int(line), label) for line, label in re.findall(r"(\d+) ([\w.]+)", match[3] or "")]
        elif match := re.fullmatch(r"  - (\d+) (.*)", row):
            claims.append((path, int(match[1]), match[2]))
        else:
            path = ""
    return [claim for claim in claims if claim[0]]


def test_more_tokens_name_more() -> None:
    tree = {f"m{number}.py": f"def make_{number}(a: int) -> int:\n    pass\n" for number in range(60)}
    sizes = [make_repository_map(make_repository(tree), HINT, count, target) for target in (100, 300, 900, 4000)]
    named = [(made.named_files, made.named_definitions) for made in sizes if made]
    assert named == sorted(named)
    assert named[0][0] < named[1][0] < named[2][0]
    assert named[1][1] < named[-1][1] == 60
    assert sizes[-1]
    assert "  - 1 def make_7(a: int) -> int" in sizes[-1].text


def test_the_last_line_reads_the_definition_that_counts_most() -> None:
    tree = {"core.py": "\n\ndef make_cake():\n    pass\n", "a.py": "from core import make_cake\n"}
    made = make_repository_map(make_repository(tree), HINT, count, 400)
    assert made
    assert made.text.endswith("\n\nTo read a part: sed -n '3,4p' cakes/core.py\n")
    template = HINT._replace(template="read {name} {start}-{end}")
    made = make_repository_map(make_repository(tree), template, count, 400)
    assert made
    assert made.text.endswith("To read a part: read cakes/core.py 3-4\n")


@pytest.mark.parametrize(("target", "text"), [(30, "cakes/ (2 files, 12 bytes)\n"), (5, None)])
def test_a_small_target_leaves_one_line_or_nothing(target: int, text: str | None) -> None:
    made = make_repository_map(make_repository({"a.py": "a = 11", "b.py": "b = 22"}), HINT, count, target)
    assert (made and made.text) == text


def test_an_empty_directory_has_a_header_alone() -> None:
    made = make_repository_map(Repository("none/", "none/", []), HINT, count, 100)
    assert made
    assert made.text == "# none/ (0 files, 0 bytes, 0 definitions): a map, not the content\n"


def test_files_that_were_not_read_are_counted_by_reason() -> None:
    files = [RepositoryFile(f"{name}.py", 9, Role.SOURCE, "python", skipped=why) for name, why in zip("abc", "xxy", strict=False)]
    made = make_repository_map(Repository("r/", "r/", files), HINT, count, 100)
    assert made
    assert "\nNot read: 3 source files (2 x, 1 y)\n" in made.text


def symbol(name: str, start: int, end: int, depth: int = 0, owner: str = "") -> Symbol:
    return Symbol(name, "class", start, end, depth, owner, f"class {name}")


BOX, GET, PUT, LID = symbol("Box", 1, 9), symbol("get", 2, 3, 1, "Box"), symbol("put", 4, 5, 1, "Box"), symbol("Lid", 10, 12)
FILES = [
    RepositoryFile("a.py", 1, Role.SOURCE, symbols=(BOX, GET, PUT, LID)),
    RepositoryFile("b b.py", 1, Role.SOURCE),
    RepositoryFile("c.py", 1, Role.SOURCE),
    RepositoryFile("lib/d.py", 1, Role.SOURCE, symbols=(LID,)),
    RepositoryFile("lib/e.py", 1, Role.SOURCE),
    RepositoryFile("lib/in/f\n.py", 1, Role.SOURCE, symbols=(LID,)),
]


def test_members_stand_in_parentheses_after_their_owner_or_have_its_name() -> None:
    assert render_names([BOX, GET, PUT, LID]) == "1 Box(2 get,4 put),10 Lid"
    assert render_names([GET, PUT, LID]) == "Box(2 get,4 put),10 Lid"
    assert render_names([PUT, LID]) == "4 Box.put,10 Lid"
    assert render_names([BOX, GET]) == "1 Box(2 get)"
    inner = symbol("Inner", 3, 5, 1, "Box")
    assert render_names([BOX, inner, symbol("go", 4, 4, 2, "Inner"), symbol("put", 6, 6, 1, "Box"), LID]) == (
        "1 Box(3 Inner(4 go),6 put),10 Lid"
    )
    assert render_names([]) == ""


def test_no_parts_leave_a_count_of_all_files() -> None:
    assert MapLayout(FILES).render([]) == "## Other files: ./ (3 files), lib/ (3 files)"
    assert MapLayout(FILES).render([], names_closed=False) == "## Other files: 2 directories (6 files)"


def test_each_file_is_named_or_counted_and_hostile_names_are_quoted() -> None:
    items = [MapItem(0), MapItem(0, 0), MapItem(0, 1), MapItem(0, 3, signed=True), MapItem(1), MapItem(5, 0)]
    assert MapLayout(FILES).render(items).split("\n") == [
        "## ./ (2 of 3 files)",
        "- a.py: 1 Box(2 get)",
        "  - 10 class Lid",
        "- 'b b.py'",
        '## "lib/in/f\\n.py": 10 Lid',
        "## Other files: lib/ (2 files)",
    ]


DIRECTORIES = st.lists(st.sampled_from("abc"), max_size=4).map(lambda parts: "".join(f"{part}/" for part in parts))


def test_ancestors_end_with_the_repository() -> None:
    assert list(list_ancestors("a/b/")) == ["a/b/", "a/", ""]
    assert list(list_ancestors("")) == [""]


def test_files_count_in_the_largest_directory_that_contains_nothing_open() -> None:
    assert count_closed(["a/b/", "a/c/", "d/e/", "d/f/", "d/"], {"a/b/x/"}) == {"a/b/": 1, "a/c/": 1, "d/": 3}


@given(st.lists(DIRECTORIES, max_size=12), st.sets(DIRECTORIES, max_size=4))
def test_each_file_counts_once_and_around_it(directories: list[str], opened: set[str]) -> None:
    counts = count_closed(directories, opened)
    assert counts.total() == len(directories)
    for path in counts:
        assert any(directory.startswith(path) for directory in directories)
        assert path in directories or not any(inner.startswith(path) for inner in opened)


def test_the_largest_are_named_in_order_and_the_rest_are_counted() -> None:
    counts = Counter({"a/": 1, "b/": 5, "c c/": 3, "d/": 2})
    assert format_closed(counts, 2) == "b/ (5 files), 'c c/' (3 files), 2 more (3 files)"
    assert format_closed(counts, 0) == "4 directories (11 files)"
    assert format_closed(Counter({"": 1}), 1) == "./ (1 file)"


SOURCES = {
    "README.md": "# Cakes\n",
    "core.py": "def make_cake(): pass\ndef _hidden(): pass\n",
    "a.py": "from core import make_cake\n",
    "b.py": "from core import make_cake\ndef other(): pass\n",
    "vendor/c.py": "def copied(): pass\n",
}
FILES_MAP_ITEMS = [scan_file(path, text.encode(), find_definitions) for path, text in sorted(SOURCES.items())]
PATHS_MAP_ITEMS = [file.path for file in FILES_MAP_ITEMS]


def names(items: list[MapItem]) -> list[str]:
    return [FILES_MAP_ITEMS[item.file].symbols[item.at].name if item.at >= 0 else FILES_MAP_ITEMS[item.file].path for item in items]


def test_each_file_and_each_definition_enters_once_and_signatures_after_names() -> None:
    items = order_items(FILES_MAP_ITEMS)
    assert len(set(items)) == len(items)
    assert {item.file for item in items} == set(range(len(FILES_MAP_ITEMS)))
    for item in items:
        if item.signed:
            assert items.index(item) > items.index(item._replace(signed=False))


def test_what_others_use_comes_before_what_nobody_uses_and_vendored_files_last() -> None:
    order = names([item for item in order_items(FILES_MAP_ITEMS) if item.at >= 0 and not item.signed])
    assert order.index("make_cake") < order.index("other") < order.index("_hidden") < order.index("copied")


def test_the_focus_comes_first() -> None:
    assert names(order_items(FILES_MAP_ITEMS, split_focus("copied")))[0] == "copied"
    assert names(order_items(FILES_MAP_ITEMS, split_focus("vendor")))[0] in ("vendor/c.py", "copied")


def test_words_match_in_any_case() -> None:
    assert count_matches("Read_The HINT", split_focus("hint read zebra")) == 2


def test_no_files_have_no_parts() -> None:
    assert order_items([]) == []
