"""Define the options of ``dedupe``, and combine them with the settings."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ctxkit.core.errors import MalformedInputError, MissingInputError, SettingsError, UsageError
from ctxkit.core.lint.baseline import parse_baseline
from ctxkit.core.lint.lint_settings import SEVERITIES, LintSettings, find_unknown_code, parse_lint_settings
from ctxkit.core.lint.registry import rules
from ctxkit.core.lint.run import LintOptions


class DedupeOptions(NamedTuple):
    """The options as typed; lists of codes are separated by commas."""

    select: str = ""
    ignore: str = ""
    extend_select: str = ""
    baseline: str = ""
    fail_level: str = ""
    ignore_suppressions: bool = False

    def resolve_control(self, table: Mapping[str, Any]) -> LintSettings:
        """Return the settings with the options applied; raise UsageError for an unknown rule.

        Raise SettingsError if the settings name the unknown rule.
        """
        control = parse_lint_settings(table)
        effective = control._replace(
            select=_split_codes(self.select) or control.select,
            ignore=_split_codes(self.ignore) or control.ignore,
            extend_select=(*control.extend_select, *_split_codes(self.extend_select)),
            fail_level=SEVERITIES[self.fail_level] if self.fail_level else control.fail_level,
            baseline=self.baseline or control.baseline,
        )
        unknown_rule = find_unknown_code(
            (*control.select, *control.ignore, *control.extend_select, *_list_file_codes(control)), tuple(rules())
        )
        if unknown_rule:
            raise SettingsError(f"lint: no rule is called {unknown_rule}", hint="ctxkit dedupe explain lists the rules")
        bad = find_unknown_code((*effective.select, *effective.ignore, *effective.extend_select), tuple(rules()))
        if bad:
            raise UsageError(f"no rule is called {bad}", hint="ctxkit dedupe explain lists the rules")
        return effective

    def make_job(self, control: LintSettings, *, updating: bool) -> LintOptions:
        """Return the options of the run; ignore a baseline that will be updated."""
        baseline = _read_baseline(control.baseline) if control.baseline and not updating else {}
        return LintOptions(control, not self.ignore_suppressions, baseline)


def _list_file_codes(control: LintSettings) -> tuple[str, ...]:
    return tuple(code for _, codes in control.per_file_ignores for code in codes)


def _split_codes(text: str) -> tuple[str, ...]:
    return tuple(code.strip().upper() for code in text.split(",") if code.strip())


def _read_baseline(path: str) -> Mapping[str, int]:
    """Return the counts in a baseline file; raise MissingInputError or MalformedInputError."""
    try:
        with open(path, "rb") as file:
            return parse_baseline(json.load(file))
    except OSError as error:
        raise MissingInputError(f"{path}: {error.strerror}", hint="--update-baseline writes it") from None
    except RecursionError:
        raise MalformedInputError(f"{path}: nested too deep") from None
    except ValueError as error:
        raise MalformedInputError(f"{path}: {error}") from None
