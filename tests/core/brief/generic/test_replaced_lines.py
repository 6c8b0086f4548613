from ctxkit.core.brief.generic.replaced_lines import Replacement, find_replacements

HEAD = "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n"


def find(text):
    return [(pair.old, pair.new) for pair in find_replacements(enumerate(text.split("\n"), 1))]


def test_runs_with_as_many_removed_as_added_lines_are_paired() -> None:
    assert find(f"{HEAD}-a\n-b\n+c\n+d\n same\n-e\n+f") == [(4, 6), (5, 7), (9, 10)]
    assert find(f"{HEAD}-a\n-b\n+c\n same\n-d\n+e\n-f\n+g\n") == [(8, 9), (10, 11)]
    assert find(f"{HEAD}-a\n same\n+b\n") == []


def test_words_that_differ_are_compared_one_by_one() -> None:
    assert Replacement(1, 2, "f(data, 1)", "f(rows, 1)").find_words() == frozenset({("data", "rows")})
    assert Replacement(1, 2, "f(data, 1)", "g(rows, 1)").find_words() == frozenset({("f", "g"), ("data", "rows")})
    assert Replacement(1, 2, "not data", "data").find_words() is None
