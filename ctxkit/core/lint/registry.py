"""List the rule families by importing their modules."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import NamedTuple

from ctxkit.core.lint.document.finding import LintFinding, Rule
from ctxkit.core.lint.document.workspace import Workspace

MODULES = (
    *("duplicates", "thinking", "garbage", "characters", "secrets", "memory"),
    *("budget", "front_matter", "placement"),
    *("references", "project_facts", "runners", "links", "suppressions"),
)
"""Modules of ctxkit/core/lint/rules, in the order in which they run."""


class RuleFamily(NamedTuple):
    """The rules of a module, and the function that yields their findings."""

    rules: tuple[Rule, ...]
    findings: Callable[[Workspace], Iterator[LintFinding]]


def families() -> Iterator[RuleFamily]:
    """Yield the rule families in the order in which they run."""
    for name in MODULES:
        module = import_module(f"ctxkit.core.lint.rules.{name}")
        yield RuleFamily(module.RULES, module.findings)


def rules() -> dict[str, Rule]:
    """Return every rule by its code, sorted by code."""
    return {rule.code: rule for rule in sorted(rule for family in families() for rule in family.rules)}
