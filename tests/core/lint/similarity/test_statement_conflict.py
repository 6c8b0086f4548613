"""What excludes each other is a conflict, and another wording is none."""

import pytest

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.similarity.statement_conflict import (
    MAX_LENGTH,
    find_conflict,
    has_opposite,
    is_instance,
    is_same_pattern,
)
from ctxkit.core.lint.similarity.statement_traits import extract_traits
from ctxkit.core.lint.similarity.vocabulary import strip_filler


def conflict(first: str, second: str) -> str:
    left, right = parse_document("A.md", f"- {first}\n\n# x\n\n- {second}\n".encode()).units[::2]
    return find_conflict(extract_traits(left), extract_traits(right), (strip_filler(left.normal), strip_filler(right.normal)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Use port 8080 for the web server", "Use port 9090 for the web server"),
        ("Always push to the main branch", "Never push to the main branch"),
        ("Enable the cache in every test", "Disable the cache in every test"),
    ],
)
def test_what_excludes_each_other_is_a_conflict(first: str, second: str) -> None:
    assert conflict(first, second) != ""


def test_opposites_are_found_in_any_form() -> None:
    assert has_opposite(["enable"], ["disabled"])
    assert not has_opposite(["enable"], ["enabled"])


def test_a_latin_name_instead_of_words_of_another_script_is_another_name() -> None:
    assert conflict("飞书消息 → OpenClaw 接收 → 推送到 Codex", "Telegram 消息 → OpenClaw 接收 → 推送到 Codex") == "name"
    assert conflict("消息 → OpenClaw 接收 → 推送到 Codex", "消息 → OpenClaw 接收, 推送到 Codex") == ""


def test_an_example_of_a_path_with_a_placeholder_is_the_same_name() -> None:
    assert conflict("Write notes to log/sprint-N/notes.md", "Write notes to log/sprint-1/notes.md") == ""
    assert conflict("Write notes to log/sprint-2/notes.md", "Write notes to log/sprint-1/notes.md") == "name"


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("docs/sprint-n/feedback.md", "docs/sprint-1/feedback.md", True),
        ("git check-ignore -v <filename>", "git check-ignore -v <path>", True),
        ("https://host.example/models/<repo>/tree", "https://host.example/models/a/b-7/tree", True),
        ("memory/yyyy-mm-dd.md", "memory/2026-03-01.md", True),
        ("/downloads/{id}/file-[name]", "/downloads/7/file-x", True),
        ("docs/sprint-n/feedback.md", "docs/sprint-1/review.md", False),
        ("docs/sprint-n/feedback.md", "docs/sprint-/feedback.md", False),
        ("git show <commit>", "git show a b c", False),
        ("head -n 5 log.txt", "head -c 5 log.txt", False),
        ("<a>/<b>", "x/y", False),
        ("docs/sprint-1/feedback.md", "docs/sprint-1/feedback.md", False),
        ("docs/sprint-n/" + "x" * MAX_LENGTH, "docs/sprint-1/" + "x" * MAX_LENGTH, False),
    ],
)
def test_an_example_has_the_parts_of_the_pattern_and_something_between_them(pattern, name, expected) -> None:
    assert is_instance(pattern, name) is expected
    names = ("other/file.md", name)
    assert is_same_pattern(pattern, names) is (is_instance(pattern, name) or is_instance(name, pattern))
    assert is_same_pattern(name, ("other/file.md", pattern)) is expected
