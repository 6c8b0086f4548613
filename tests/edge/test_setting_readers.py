"""What each setting accepts."""

import pytest

from ctxkit.edge.setting_definitions import KEYS


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("window", "many", "is not a whole number"),
        ("window", -1, "is negative"),
        ("window", True, "is not a whole number"),
        ("window", 10**13, "is more than any window holds"),
        ("low_water", 0, "is not a number between 0 and 1"),
        ("low_water", "nan", "is not a number between 0 and 1"),
        ("store", "perhaps", "is neither true, false nor a URL"),
        ("model", ["a"], "is not text"),
        ("never_store", [1], "is not a list of texts"),
        ("cache_max_age", "soon", "is not a duration such as 500ms"),
        ("lint", [], "is not a table"),
        ("trusted", "~/src", "is not a list of directories"),
        ("calibration", 1, "is not a table of factors"),
    ],
)
def test_another_value_is_refused_with_the_reason(key: str, value, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        KEYS[key].read(value)


def test_a_variable_of_texts_has_one_on_each_line() -> None:
    assert KEYS["never_store"].read("aws *\n\n vault *") == ["aws *", " vault *"]
