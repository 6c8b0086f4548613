"""What one family of rules finds in a small workspace."""

from collections.abc import Mapping
from types import ModuleType

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.fixes.apply_fixes import apply_edits
from tests.core.lint.places import workspace


def asked(family: ModuleType, files: Mapping[str, str], **listing) -> list[LintFinding]:
    return list(family.findings(workspace(files, **listing)))


def codes(family: ModuleType, files: Mapping[str, str], **listing) -> list[tuple[str, int]]:
    return [(one.code, one.line) for one in asked(family, files, **listing)]


def mended(family: ModuleType, path: str, text: str) -> str:
    return apply_edits(text, [edit for one in asked(family, {path: text}) if one.fix for edit in one.fix.edits])
