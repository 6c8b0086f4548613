"""Define the options of ``dedupe``, and combine them with the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.core.errors import SettingsError, UsageError

if TYPE_CHECKING:  # help is shown without the linter
    from collections.abc import Mapping

    from ctxkit.core.lint.lint_settings import LintSettings
    from ctxkit.core.lint.run import LintOptions


class DedupeOptions(NamedTuple):
    """The options as typed; lists of codes are separated by commas."""

    select: str = ""
    ignore: str = ""
    extend_select: str = ""
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    form: str | None = None
    as_json: bool = False
    table: bool = False
    budget: bool = False
    statistics: bool = False
    baseline: str = ""
    update_baseline: bool = False
    fail_level: str | None = None
    exit_zero: bool = False
    ignore_suppressions: bool = False
    prompt: str | None = None
    files_from: str | None = None
    stdin_name: str = "AGENTS.md"
    color: str = "auto"

    @property
    def is_fixing(self) -> bool:
        """Return whether fixes are written."""
        return self.fix or self.unsafe_fixes

    def resolve_control(self, table: Mapping[str, Any]) -> LintSettings:
        """Return the settings with the options applied; raise UsageError for an unknown rule.

        Raise SettingsError if the settings name the unknown rule.
        """
        from ctxkit.core.lint.lint_settings import SEVERITIES, find_unknown_code, parse_lint_settings
        from ctxkit.core.lint.registry import rules

        control = parse_lint_settings(table)
        effective = control._replace(
            select=_split_codes(self.select) or control.select,
            ignore=_split_codes(self.ignore) or control.ignore,
            extend_select=(*control.extend_select, *_split_codes(self.extend_select)),
            fail_level=SEVERITIES[self.fail_level] if self.fail_level else control.fail_level,
            baseline=self.baseline or control.baseline,
        )
        from ctxkit.edge.lint.text import RULES_HINT, describe_unknown_rule

        unknown_rule = find_unknown_code(
            (*control.select, *control.ignore, *control.extend_select, *_list_file_codes(control)), tuple(rules())
        )
        if unknown_rule:
            raise SettingsError(f"lint: {describe_unknown_rule(unknown_rule)}", hint=RULES_HINT)
        bad = find_unknown_code((*effective.select, *effective.ignore, *effective.extend_select), tuple(rules()))
        if bad:
            raise UsageError(describe_unknown_rule(bad), hint=RULES_HINT)
        return effective

    def make_job(self, control: LintSettings) -> LintOptions:
        """Return the options of the run; ignore a baseline that will be updated."""
        from ctxkit.core.lint.run import LintOptions
        from ctxkit.edge.lint.writing import read_baseline

        baseline = read_baseline(control.baseline) if control.baseline and not self.update_baseline else {}
        return LintOptions(control, not self.ignore_suppressions, baseline)


def _list_file_codes(control: LintSettings) -> tuple[str, ...]:
    return tuple(code for _, codes in control.per_file_ignores for code in codes)


def _split_codes(text: str) -> tuple[str, ...]:
    return tuple(code.strip().upper() for code in text.split(",") if code.strip())
