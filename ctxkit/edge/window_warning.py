"""Saying, once, that the window is not known or that a session's ledger cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.models import lookup
from ctxkit.core.store.label import title_of
from ctxkit.edge import notices, user_dirs

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.edge.request import CliRequest
    from ctxkit.edge.settings import Settings

WINDOW_HINT = "--model NAME, CTXKIT_MODEL or --window N says how large it is"


def warn_of_window(
    request: CliRequest, settings: Settings, session: str, problem: str = "", *, passes: bool = False
) -> None:
    """Say in one line that the window is not known, after the ``problem`` with the session if there is any.

    If it ``passes``, content goes on unchanged; otherwise the request's window is assumed.
    """
    name = request.model_name(settings)
    cause = f"unknown model: {title_of(name)}" if name else "no model is named"
    answer = "content passes unchanged" if passes else f"a window of {request.window:,} tokens is assumed"
    message = "; ".join(part for part in (problem, f"{cause}: {answer}") if part)
    warn_once(message, settings, session, lambda: f" ({_suggest_models(name)}{WINDOW_HINT})")


def warn_once(message: str, settings: Settings, session: str, suffix: Callable[[], str] = str) -> None:
    """Warn once in a session, else once in an hour; ``suffix`` ends the line and is asked for only if it is said."""
    seconds = notices.EVER if session else notices.HOUR
    folder = settings["cache_dir"] or user_dirs.cache_dir()
    notices.warn_once(message, session.encode("utf-8", "replace"), folder, seconds, suffix=suffix)


def _suggest_models(name: str) -> str:
    """Return a question for known names like ``name``, empty where there are none."""
    near = lookup.find_similar_names(name[:200]) if name else []
    return f"did you mean {' or '.join(near)}? " if near else ""
