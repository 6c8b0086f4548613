from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.tree import DocumentTree, ancestors, join_path


def tree(*paths):
    return DocumentTree([parse_document(path, b"x\n") for path in paths])


def test_what_is_inside_a_directory() -> None:
    found = tree("a/b.md", "a/c/d.md", "ab/e.md", "a.md")
    assert found.files_inside("a") == ["a/b.md", "a/c/d.md"]
    assert found.files_inside("z") == []


def test_paths_from_the_root_down() -> None:
    assert ancestors("a/b") == ["", "a", "a/b"]
    assert ancestors("") == [""]
    assert (join_path("", "x"), join_path("a", "x")) == ("x", "a/x")


def test_no_file_is_named_twice() -> None:
    assert tree("a.md", "b.md").paths(["b.md", "a.md", "b.md", "c.md"]) == ("b.md", "a.md")
