from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.rule import ERROR, WARNING
from ctxkit.core.lint.document.workspace import RemovedPath
from ctxkit.core.lint.references.paths import find_mentions
from ctxkit.core.lint.rules.stale_paths import add_place, make_stale_finding

MOVED = RemovedPath("3f2a91c", "2026-01-02", "lib/a.py")


def make(past: RemovedPath, role: FileRole = FileRole.INSTRUCTIONS):
    document = parse_document("AGENTS.md", b"See `src/a.py` and `src/a.py`.\n", role)
    return [make_stale_finding(document, mention, "src/a.py", past) for mention in find_mentions(document)]


def test_a_moved_file_has_its_new_path_as_a_fix() -> None:
    first, second = make(MOVED)
    assert (first.code, first.severity, first.message) == ("REF001", ERROR, "`src/a.py` was renamed to lib/a.py in 3f2a91c (2026-01-02)")
    both = add_place(first, second)
    assert [(edit.start, edit.replacement) for edit in both.fix.edits] == [(5, "lib/a.py"), (20, "lib/a.py")]


def test_a_file_that_became_another_or_was_put_away_has_none() -> None:
    assert make(MOVED._replace(renamed_to="lib/core.py"))[0].fix is None
    assert make(MOVED._replace(renamed_to="archive/a.py"))[0].fix is None
    assert make(MOVED._replace(renamed_to=""))[0].message == "`src/a.py` was removed in 3f2a91c (2026-01-02)"


def test_a_memory_may_describe_the_past() -> None:
    assert make(MOVED, FileRole.MEMORY)[0].severity == WARNING
