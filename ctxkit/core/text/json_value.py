"""The type of a value that was parsed from JSON, YAML or TOML."""

from typing import Any, TypeAlias

JsonValue: TypeAlias = Any
"""A parsed value of unknown shape: each reader tests the shape that it uses.

It is Any, because a recursive type needs a cast at every access, although the test before the access is what counts.
"""
