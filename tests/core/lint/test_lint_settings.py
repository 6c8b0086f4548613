import pytest

from ctxkit.core.lint.document.finding import ERROR, WARNING, LintFinding
from ctxkit.core.lint.document.workspace import LoadSet
from ctxkit.core.lint.lint_settings import (
    LintSettings,
    drop_ignored,
    find_bad_key,
    find_unknown_code,
    parse_lint_settings,
)


def test_settings_are_read_in_either_spelling() -> None:
    table = {
        "extend-select": ["dup010"], "per_file_ignores": {"docs/*": "HYG"}, "fail-level": "error", "set_tokens": 9,
        "budgets": {"A.md": 3}, "load_sets": {"mine": ["A.md", "B.md"]},
    }  # fmt: skip
    control = parse_lint_settings(table)
    assert control.extend_select == ("DUP010",)
    assert control.fail_level is ERROR
    assert control.per_file_ignores == (("docs/*", ("HYG",)),)
    assert (control.limits.set_tokens, control.limits.by_path) == (9, {"A.md": 3})
    assert control.load_sets == (LoadSet("mine", "", ("A.md", "B.md")),)
    assert parse_lint_settings({}) == LintSettings()


@pytest.mark.parametrize(
    "table",
    [
        {"selekt": []}, {"select": 1}, {"select": [1]}, {"fail_level": "bad"}, {"file_tokens": -1},
        {"set_tokens": True}, {"budgets": []}, {"budgets": {"a": "x"}}, {"load_sets": []}, {"per_file_ignores": []},
        {"baseline": 1},
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_understood_is_named(table) -> None:
    key = next(iter(table))
    with pytest.raises(ValueError, match=key):
        parse_lint_settings(table)
    assert find_bad_key({"select": [], **table}) == key


def test_names_of_rules_are_codes_or_beginnings() -> None:
    assert find_unknown_code(("DUP", "ALL", "REF001"), ("DUP001", "REF001")) == ""
    assert find_unknown_code(("DUP", "XYZ"), ("DUP001",)) == "XYZ"


def test_what_is_ignored_in_its_file_is_left_out() -> None:
    found = [LintFinding("HYG001", WARNING, path, 1, 1, "x") for path in ("docs/a.md", "b.md")]
    control = LintSettings(per_file_ignores=(("docs/", ("HYG",)), ("b.md", ("DUP",))))
    assert drop_ignored(found, control) == found[1:]


def test_sizes_are_limits_of_hosts_by_their_names() -> None:
    limits = parse_lint_settings({"sizes": {"codex_bytes": 65_536, "skill_lines": 0}}).limits
    assert limits.sizes == {"codex_bytes": 65_536, "skill_lines": 0}
    for sizes in ({"codex_byte": 1}, {"codex_bytes": -1}, {"codex_bytes": True}, 3):
        with pytest.raises(ValueError, match="sizes"):
            parse_lint_settings({"sizes": sizes})
