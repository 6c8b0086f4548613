from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.references.drawn_trees import find_drawn_trees


def drawn(text: str) -> list[tuple[str, list[tuple[str, int]]]]:
    document = parse_document("A.md", f"```\n{text}```\n".encode())
    trees = [tree for _, trees in find_drawn_trees(document) for tree in trees]
    return [(tree.top, [(entry.path, entry.line) for entry in tree.entries]) for tree in trees]


def test_entries_have_the_path_from_the_top() -> None:
    text = "shop/            # the project\n├── src/         # code\n│   ├── a.py\n│\n│   └── lib/b.py  (old)\n└── README.md\n"
    assert drawn(text) == [("shop", [("src", 3), ("src/a.py", 4), ("src/lib/b.py", 6), ("README.md", 7)])]


def test_ascii_and_tabs_draw_as_well() -> None:
    assert drawn(".\n|-- src\n|   `-- a.py\n+-- b.py\n") == [(".", [("src", 3), ("src/a.py", 4), ("b.py", 5)])]
    assert drawn("├── a\n│\t├── b.py\n") == [("", [("a", 2), ("a/b.py", 3)])]


def test_each_line_that_is_no_entry_begins_another_tree() -> None:
    assert drawn("web/\n├── a.py\napi/\n├── b.py\n") == [("web", [("a.py", 3)]), ("api", [("b.py", 5)])]


def test_what_is_no_path_is_no_entry() -> None:
    assert drawn("├── *.py\n├── <name>.md\n├── a.py\n├── two words\n") == [("", [("a.py", 4), ("two", 5)])]
    assert drawn("no tree\n") == []
    assert list(find_drawn_trees(parse_document("A.md", b"Text\n\n\xe2\x94\x9c\xe2\x94\x80\xe2\x94\x80 a.py\n"))) == []
