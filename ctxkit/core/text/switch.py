"""Values of a variable that switches something on or off."""

OFF_VALUES = ("", "0", "false", "no", "off")
"""Values that switch off, in any case; any other value switches on."""


def is_on(value: str) -> bool:
    """Return whether a value switches on."""
    return value.strip().lower() not in OFF_VALUES


def make_case_pattern() -> str:
    """Return a pattern for ``case`` of a shell that matches the values that switch off."""
    return "|".join("".join(f"[{c.upper()}{c}]" if c.isalpha() else c for c in value) or "''" for value in OFF_VALUES)
