import pytest

from ctxkit.core.lint.references.excuses import rejects_path, says_gone, says_optional


@pytest.mark.parametrize(
    ("text", "gone", "optional"),
    [("      was removed in May", True, False), ("hooks (    ): scrubbed", True, False), ("Read     first", False, False), ("<!-- n -->8<!-- /n --> in    ", False, False), ("    -> the new one", True, False),
     ("Write the report to    ", False, True), ("Read     if it exists", False, True), ("see     in that repo", False, True), ("**Example (in     ):**", False, True), ("UIA package:     has the flags", False, True),
     ("The bundle builds separately via    ", False, False), ("It is bundled into    ", False, True),
     ("Write the safety tests (    ): limits", False, True), ("- Name files:    ", False, True), ("The files are named in    ", False, True)],
)  # fmt: skip
def test_what_a_sentence_says_of_its_path(text: str, gone: bool, optional: bool) -> None:
    assert (says_gone(text), says_optional(text)) == (gone, optional)


@pytest.mark.parametrize(
    ("before", "after", "is_rejected"),
    [
        ("Use a, **not**", "", True), ("Put it in a, not in", "", True), ("Use a, not       or", "for it", True), ("There is no", "file", True),
        ("Use a, nicht", "", True), ("使用 a，而不是", "", True), ("", "ではなく a を使う", True), ("", "가 아니라", True),
        ("Never use", "for tests", True), ("Do not discover or read", ", credentials", True), ("Don't import the helpers from", "", True),
        ("They must not be read from", "", True), ("Do not use a without", "", False), ("You cannot use a. Read", "", False),
        ("Do not edit", "by hand", False), ("Note the paths in", "", False), ("If it does not match, read", "", False), ("", "", False),
    ],
)  # fmt: skip
def test_the_words_around_a_path_may_reject_it(before: str, after: str, is_rejected: bool) -> None:
    assert rejects_path(before, after) is is_rejected
