"""The options of ``dedupe``, and what they come to under the settings."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ctxkit.core.lint.baseline import read
from ctxkit.core.lint.control import LEVELS, Control, control_of, unknown
from ctxkit.core.lint.linting import Job
from ctxkit.core.lint.registry import rules
from ctxkit.core.trouble import BadSettings, Malformed, MissingInput, Misuse


class Choices(NamedTuple):
    """Hold the options as they were typed; lists of codes have commas between them."""

    select: str = ""
    ignore: str = ""
    extend_select: str = ""
    baseline: str = ""
    fail_level: str = ""
    ignore_suppressions: bool = False

    def control(self, table: Mapping[str, Any]) -> Control:
        """Return what holds: an option before the setting of its name; raises Misuse for a rule that there is not.

        Raises BadSettings where the settings name it.
        """
        control = control_of(table)
        chosen = control._replace(
            select=_codes(self.select) or control.select,
            ignore=_codes(self.ignore) or control.ignore,
            extend_select=(*control.extend_select, *_codes(self.extend_select)),
            fail_level=LEVELS[self.fail_level] if self.fail_level else control.fail_level,
            baseline=self.baseline or control.baseline,
        )
        said = unknown((*control.select, *control.ignore, *control.extend_select, *_by_file(control)), tuple(rules()))
        if said:
            raise BadSettings(f"lint: no rule is called {said}", hint="ctxkit dedupe explain lists the rules")
        bad = unknown((*chosen.select, *chosen.ignore, *chosen.extend_select), tuple(rules()))
        if bad:
            raise Misuse(f"no rule is called {bad}", hint="ctxkit dedupe explain lists the rules")
        return chosen

    def job(self, control: Control, *, updating: bool) -> Job:
        """Return what to look for; a baseline that is to be written anew knows nothing."""
        known = _known(control.baseline) if control.baseline and not updating else {}
        return Job(control, not self.ignore_suppressions, known)


def _by_file(control: Control) -> tuple[str, ...]:
    return tuple(code for _, codes in control.per_file_ignores for code in codes)


def _codes(text: str) -> tuple[str, ...]:
    return tuple(code.strip().upper() for code in text.split(",") if code.strip())


def _known(path: str) -> Mapping[str, int]:
    """Return what a baseline file knows; raises MissingInput or Malformed."""
    try:
        with open(path, "rb") as file:
            return read(json.load(file))
    except OSError as error:
        raise MissingInput(f"{path}: {error.strerror}", hint="--update-baseline writes it") from None
    except RecursionError:
        raise Malformed(f"{path}: nested too deep") from None
    except ValueError as error:
        raise Malformed(f"{path}: {error}") from None
