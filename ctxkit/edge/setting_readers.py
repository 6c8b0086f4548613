"""Read the values of settings, from files and from the environment."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any


def read_bool(value: object) -> bool:
    """Return whether a value is true; raise ValueError if it is neither true nor false."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("1", "true", "yes", "on", "0", "false", "no", "off", ""):
        return value.lower() in ("1", "true", "yes", "on")
    raise ValueError("is not true or false")


def read_store(value: object) -> bool | str:
    """Return whether content is stored, or the URL of a shared store; raise ValueError if it is neither."""
    if isinstance(value, str) and (":" in value or "/" in value):
        from ctxkit.core.store.address import parse_address

        parse_address(value)
        return value
    try:
        return read_bool(value)
    except ValueError:
        raise ValueError("is neither true, false nor a URL such as redis://HOST:6379") from None


def read_server(value: object) -> bool | str:
    """Return whether a server is used, or the absolute path of its socket; raise ValueError if it is neither."""
    return value if isinstance(value, str) and os.path.isabs(value) else read_bool(value)


def read_int(value: object) -> int:
    """Return a whole number, also of text such as 128k; raise ValueError if it is not one, negative or too large."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("is not a whole number")
    try:
        number = int(value)
    except ValueError:
        from ctxkit.core.text.quantity import parse_number

        try:
            number = parse_number(str(value))
        except ValueError:
            raise ValueError("is not a whole number") from None
    if number < 0:
        raise ValueError("is negative")
    if number > 10**12:
        raise ValueError("is more than any window holds")
    return number


def read_cap(value: object) -> int:
    """Return a whole number, 0 for ``none``; raise ValueError if it is neither."""
    return 0 if isinstance(value, str) and value.strip().lower() == "none" else read_int(value)


def read_bytes(value: object) -> int:
    """Return a size in bytes, also of text such as 16KB; raise ValueError if it is not one."""
    from ctxkit.core.text.quantity import parse_size

    if isinstance(value, int):
        return read_int(value)
    return parse_size(_check_quantity(value, parse_size))


def read_share(value: object) -> float:
    """Return a number between 0 and 1; raise ValueError if it is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("is not a number between 0 and 1")
    from ctxkit.core.text.quantity import parse_share

    try:
        return parse_share(str(value))
    except ValueError:
        raise ValueError("is not a number between 0 and 1") from None


def read_text(value: object) -> str:
    """Return a text, also of a whole number; raise ValueError for another type."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("is not text")
    try:
        return str(value)
    except ValueError:  # more digits than Python converts
        raise ValueError("is too long") from None


def read_texts(value: object) -> list[str]:
    """Return a list of texts; an environment variable contains one per line. Raise ValueError for another type."""
    texts = [text for text in value.split("\n") if text.strip()] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError("is not a list of texts")
    return texts


def read_duration(value: object) -> str:
    """Return the text of a duration; raise ValueError if it is not one."""
    from ctxkit.core.text.quantity import parse_duration

    return _check_quantity(value, parse_duration)


def read_size(value: object) -> str:
    """Return the text of a size in bytes; raise ValueError if it is not one."""
    from ctxkit.core.text.quantity import parse_size

    return _check_quantity(value, parse_size)


def _check_quantity(value: object, parse: Callable[[str], float]) -> str:
    """Return the text of a duration or a size; raise ValueError if it is neither."""
    text = read_text(value)
    try:
        parse(text)
    except ValueError as error:
        raise ValueError(str(error).removeprefix(f"{text!r} ")) from None
    return text


def read_price(value: object) -> float:
    """Return a price; raise ValueError if it is not one."""
    try:
        price = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except ValueError:
        price = -1.0
    if not 0 <= price < 1e6:
        raise ValueError("is not a price in US dollars for a million tokens, such as 3.00")
    return price


def read_factors(value: object) -> dict[str, Any]:
    """Return the learned factors by family; raise ValueError if one is invalid."""
    from ctxkit.core.tokens.estimate import parse_factor

    if not isinstance(value, dict):
        raise ValueError("is not a table of factors")
    return {name: parse_factor(factor)._asdict() for name, factor in value.items()}


def read_lint(value: object) -> dict[str, Any]:
    """Return the lint settings; raise ValueError if they are invalid."""
    from ctxkit.core.lint.lint_settings import parse_lint_settings

    if not isinstance(value, dict):
        raise ValueError("is not a table")
    parse_lint_settings(value)
    return value


def read_kinds(value: object) -> dict[str, Any]:
    """Return the user's rules for kinds of content; raise ValueError if one is invalid."""
    from ctxkit.core.brief.custom_kinds import parse_kind_rules

    if not isinstance(value, dict):
        raise ValueError("is not a table of rules, as in [kinds.deploy]")
    parse_kind_rules(value)
    return value


def read_directories(value: object) -> tuple[str, ...]:
    """Return patterns of directories; raise ValueError if one is invalid."""
    from ctxkit.edge.trusted_dirs import find_fault

    if not isinstance(value, list) or not all(isinstance(pattern, str) for pattern in value):
        raise ValueError('is not a list of directories, as in ["~/src/mine"]')
    for pattern in value:
        if fault := find_fault(pattern):
            raise ValueError(fault)
    return tuple(value)
