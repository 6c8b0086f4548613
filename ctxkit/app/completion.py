"""Print the values that a completion script offers and cannot know: models, refs and sessions.

The scripts of bash, zsh and fish call ``ctxkit _complete KIND PREFIX``. Each line is a value, a tab and a description.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from ctxkit.core.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctxkit.edge.settings import Settings

    Value = tuple[str, str]
    """A value and its description."""

COMMAND = "_complete"
"""The command of the scripts, which help does not list."""
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@+-]*")
"""A value that means itself in every shell: bash inserts a value without quotes, and a project names its models."""


def print_values(words: Sequence[str]) -> Exit:
    """Print the values of a kind that begin with a prefix; print no errors, because a shell would show them."""
    kind, prefix = words[0] if words else "", words[1] if len(words) > 1 else ""
    try:
        lines = [f"{value}\t{text}\n" for value, text in _list_values(kind, prefix)]
        sys.stdout.write("".join(lines))
        sys.stdout.flush()
    except Exception:  # a fault of any kind completes nothing
        return Exit.NO
    return Exit.DONE


def _list_values(kind: str, prefix: str) -> Iterator[Value]:
    """Yield the values of a kind that begin with a prefix and mean themselves in every shell, each once."""
    from ctxkit.edge import settings

    list_kind = LISTERS.get(kind)
    if list_kind is None:
        return
    seen: set[str] = set()
    for value, text in list_kind(settings.load(blame=lambda _error: None), prefix):
        if value.startswith(prefix) and value not in seen and _SAFE.fullmatch(value):
            seen.add(value)
            yield value, text


def _list_models(config: Settings, prefix: str) -> Iterator[Value]:
    from ctxkit.core.models.lookup import list_windows

    for name in config.models():
        window = config.lookup_for_model(name, "window") if name.startswith(prefix) else None
        yield name, f"{window.value:,} tokens" if window else ""
    for name, size in list_windows():
        yield name, f"{size:,} tokens"


def _list_refs(config: Settings, prefix: str) -> Iterator[Value]:
    from ctxkit.core.store.label import mask_title, shorten_ref
    from ctxkit.core.text.quantity import format_size
    from ctxkit.engines.session_tables import list_refs

    directory = _find_data(config)
    for ref, size, tool, name in list_refs(directory, prefix) if directory else ():
        value = ref if len(prefix) > len(shorten_ref(ref)) else shorten_ref(ref)
        yield value, mask_title(f"{format_size(size)} {tool} {name}")


def _list_sessions(config: Settings, prefix: str) -> Iterator[Value]:
    """Yield the sessions of this machine: a server with shared sessions takes too long to ask."""
    from ctxkit.core.store.label import title_of
    from ctxkit.engines.session_tables import list_sessions

    directory = _find_data(config)
    for name, used, window, model in list_sessions(directory, prefix) if directory else ():
        yield name, title_of(f"{used:,} of {window:,} tokens {model}")
    if isinstance(config["store"], str):
        from ctxkit.app.services.redis_sessions import find_copies
        from ctxkit.app.services.stores import find_server

        server = find_server(config)
        yield from ((name, "shared") for name in _list_copies(find_copies(server) if server else ""))


def _list_copies(directory: str) -> Iterable[str]:
    """Return the names of the shared sessions that this machine has used."""
    from ctxkit.engines.session_copies import SessionCopies

    return SessionCopies(directory).list_names()


def _find_data(config: Settings) -> str:
    """Return the directory of the database, "" without a home; create nothing."""
    from ctxkit.edge import user_dirs

    path = str(config["data_dir"] or user_dirs.data_dir())
    return path if os.path.isabs(path) else ""


LISTERS: dict[str, Callable[[Settings, str], Iterator[Value]]] = {
    "models": _list_models,
    "refs": _list_refs,
    "sessions": _list_sessions,
}
"""The kinds of values that a script asks for."""
