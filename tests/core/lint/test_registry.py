"""Every module of rules is registered, and no code stands twice."""

import pkgutil
from importlib import import_module

from ctxkit.core.lint import rules as package
from ctxkit.core.lint.registry import MODULES, families, rules


def test_every_module_with_rules_and_findings_is_registered() -> None:
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    families_ = {name for name in modules if hasattr(import_module(f"{package.__name__}.{name}"), "findings")}
    assert families_ == set(MODULES)


def test_codes_and_names_are_unique_and_sorted() -> None:
    listed = [rule for family in families() for rule in family.rules]
    assert list(rules()) == sorted(rule.code for rule in listed)
    assert len({rule.name for rule in listed}) == len(listed) == len(rules())
