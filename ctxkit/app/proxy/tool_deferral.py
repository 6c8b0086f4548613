"""Keep the tool definitions of a request below a share of its window, by definitions that say how to read the rest."""

from __future__ import annotations

from hashlib import blake2b
from time import time
from typing import TYPE_CHECKING

from ctxkit.app.proxy.conditions import dump_value
from ctxkit.app.services import stores
from ctxkit.core.chat.editing.json_patches import find_span
from ctxkit.core.errors import CtxkitError
from ctxkit.core.proxy.short_definitions import shorten_definitions, write_long_definitions
from ctxkit.core.store.label import Label, shorten_ref
from ctxkit.core.store.store_interface import store_content
from ctxkit.core.text.positions import skip_blanks
from ctxkit.core.text.retrieval_hint import PREFIX
from ctxkit.core.tokens.budget import threshold_of
from ctxkit.core.tools.catalog import DefinitionCounter, find_shape, read_catalog
from ctxkit.edge import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.app.proxy.conditions import Conditions
    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.core.tools.catalog import ToolCatalog
    from ctxkit.core.tools.selection import MeasureTools
    from ctxkit.edge.settings import Settings

MEMBER = "tools"
"""The member of a request with its definitions, in all APIs."""
STORED_SECONDS = 86_400
"""Seconds after which the whole definitions are stored anew, so that they do not expire while they are used."""


def defer_tools(body: bytes, value: dict[str, JsonValue], conditions: Conditions, settings: Settings) -> bytes | None:
    """Return a request whose definitions are short, None if they stay as they are.

    What becomes of definitions depends on their text and on the window alone: all requests of an agent begin alike.
    """
    tools, most = value.get(MEMBER), find_deferral_threshold(conditions, settings)
    if not isinstance(tools, list) or most is None or not _stores(conditions, settings):
        return None
    data = dump_value(tools)
    if len(data) <= most:  # a token has a byte at least, so that nothing needs to be counted
        return None
    key = blake2b(b"%d %s" % (time() // STORED_SECONDS, data), digest_size=16).digest()
    if key in conditions.short_tools and not conditions.short_tools[key]:
        return None
    text = body.decode("utf-8", "surrogateescape")
    begin, end = find_list(text)
    if key not in conditions.short_tools:
        try:
            conditions.short_tools[key] = _shorten(text[begin:end], most, conditions, settings)
        except (CtxkitError, OSError) as error:
            say.warn(f"no tool definitions are shortened: {error}")
            return None
    short = conditions.short_tools[key]
    return f"{text[:begin]}{short}{text[end:]}".encode("utf-8", "surrogateescape") if short else None


def find_deferral_threshold(conditions: Conditions, settings: Settings) -> int | None:
    """Return the most tokens that definitions may take, None if they may take any number."""
    return threshold_of(settings["tool_deferral_threshold"], conditions.budget.effective)


def find_list(text: str) -> tuple[int, int]:
    """Return the start and the end of the list of definitions in a request."""
    return find_span(text, skip_blanks(text, 1 if text.startswith("\ufeff") else 0), (MEMBER,))


def make_measure(catalog: ToolCatalog, conditions: Conditions) -> MeasureTools:
    """Return a function that returns the tokens of definitions."""
    return DefinitionCounter(conditions.count_options, find_shape(catalog.definitions[0])).measure


def _stores(conditions: Conditions, settings: Settings) -> bool:
    """Return whether the rest of a definition can be read: it is stored."""
    return bool(settings["store"]) and not conditions.request.no_store


def _shorten(text: str, most: int, conditions: Conditions, settings: Settings) -> str:
    """Return the text of the short definitions, "" if all stay as they are; the whole ones are stored."""
    catalog = read_catalog(text.encode("utf-8", "surrogateescape"), "the tools", "mcp")
    measure = make_measure(catalog, conditions)
    if measure([definition.tool for definition in catalog.definitions]) <= most:
        return ""
    describe_rest = _store_definitions(catalog, conditions, settings)
    return shorten_definitions(catalog, measure, most, describe_rest) or ""


def _store_definitions(catalog: ToolCatalog, conditions: Conditions, settings: Settings) -> Callable[[int], str]:
    """Store the whole definitions, and return a function that says how to read one, by its index."""
    long = write_long_definitions(catalog)
    data = long.text.encode("utf-8", "replace")
    ref = store_content(stores.open_store(settings), [data], Label("tool definitions", "proxy"))
    hint = conditions.request.resolve_hint(settings, "ctxkit", "")
    located = hint.without_alternative().with_location(shorten_ref(ref), "")

    def describe_rest(number: int) -> str:
        """Return how to read the rest of a definition."""
        return located.for_lines(*long.lines[number]).removeprefix(PREFIX)

    return describe_rest
