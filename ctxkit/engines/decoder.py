"""Parse JSON with orjson, and with the standard library if orjson refuses the text."""

from typing import Any

from ctxkit.core.text.json_value import fits_memory
from ctxkit.core.text.limits import PARSED


def parse(text: bytes) -> Any:
    """Return the value of a JSON text; raise ValueError with ``msg`` and ``lineno`` if it is invalid.

    Accept NaN, lone surrogates and undecodable bytes, which orjson refuses.
    """
    import orjson

    if not fits_memory(text, PARSED):
        raise ValueError("it holds more values than fit in memory")
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return _parse_with_stdlib(text.decode("utf-8", "replace"))


def _parse_with_stdlib(text: str) -> Any:
    from json import loads

    try:
        return loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
