"""The names that options offer are those of the formats."""

import pkgutil

from ctxkit.core.chat import formats
from ctxkit.core.chat.reading.format_names import FORMAT_NAMES
from ctxkit.core.chat.reading.format_registry import get_format


def test_each_name_is_a_format_and_stands_once() -> None:
    assert len(set(FORMAT_NAMES)) == len(FORMAT_NAMES)
    modules = {f"{formats.__name__}.{module.name}" for module in pkgutil.iter_modules(formats.__path__)}
    assert {get_format(name).__name__ for name in FORMAT_NAMES} <= modules  # type: ignore[attr-defined]
