"""Lists of files in the record."""

from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.tool_call import find_tool_calls
from ctxkit.core.context.record_files import MAX_FILES, find_file_lists
from tests.core.context.talk import did, ran, records_of, user


def lists_of(*calls, kept: str = "") -> list[str]:
    turns = [turn for call in calls for turn in call]
    classified_calls = classify_calls(find_tool_calls(records_of([user("x"), *turns])))
    return [text for text, _ in find_file_lists(classified_calls, kept)]


def wrote(*paths: str):
    return [did("Write", {"file_path": path}, "ok") for path in paths]


def test_moved_files_stand_above_the_changed_ones_and_the_removed_ones() -> None:
    moves = (ran("mv b.py c.py"), ran("mv /w/app/src/x/d.py /w/app/src/y/e.py"))
    assert lists_of(*wrote("/app/a.py"), *moves, ran("rm old.py")) == [
        "- Moved in /w/app/: src/x/d.py -> src/y/e.py",
        "- Moved: b.py -> c.py",
        "- Changed: /app/a.py",
        "- Removed: old.py",
    ]


def test_lists_name_only_the_files_that_the_page_lacks() -> None:
    files = wrote("/app/src/a.py", "/app/src/b.py", "/app/src/c.py")
    assert lists_of(*files, kept="- Changed in /app/: src/b.py.") == ["- Changed in /app/: src/c.py, src/a.py"]
    assert lists_of(*files, kept="src/a.py, src/b.py, src/c.py") == []
    assert lists_of(ran("mv b.py c.py"), kept="c.py") == ["- Moved: b.py -> c.py"]


def test_many_files_stand_in_several_lines() -> None:
    names = [f"/app/src/{number}.py" for number in range(MAX_FILES + 1)]
    assert [text.count(".py") for text in lists_of(*wrote(*names))] == [MAX_FILES, 1]
