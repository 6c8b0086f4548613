"""Warn once that the window is unknown or that a session's ledger is unusable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.models import lookup
from ctxkit.core.store.label import title_of
from ctxkit.edge import notices, say, user_dirs

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.edge.request import Call
    from ctxkit.edge.settings import Settings

WINDOW_HINT = "--model NAME, CTXKIT_MODEL or --window N says how large it is"


def warn_of_window(
    call: Call, session: str, problem: str = "", *, passes: bool = False, is_typed: bool = False
) -> None:
    """Warn in one line that the window is unknown, after the ``problem`` with the session, if any.

    If it ``passes``, content passes unchanged; otherwise the request's window is assumed. Warn each time if the name of
    the model ``is_typed`` on the command line.
    """
    request, settings = call
    name = request.model_name(settings)
    unknown = "unknown model, and no such file" if name.lower().endswith(".gguf") else "unknown model"
    cause = f"{unknown}: {title_of(name)}" if name else "no model is named"
    answer = "content passes unchanged" if passes else f"a window of {request.window:,} tokens is assumed"
    message = "; ".join(part for part in (problem, f"{cause}: {answer}") if part)
    if is_typed:
        say.warn(f"{message} ({_suggest_models(name)}{WINDOW_HINT})")
        return
    warn_once(message, settings, session, lambda: f" ({_suggest_models(name)}{WINDOW_HINT})")


def warn_once(message: str, settings: Settings, session: str, suffix: Callable[[], str] = str) -> None:
    """Warn once per session, else once per hour; ``suffix`` returns the end of the line, and is
    called only if needed.
    """
    seconds = notices.EVER if session else notices.HOUR
    folder = settings["cache_dir"] or user_dirs.cache_dir()
    about = session.encode("utf-8", "replace")
    notices.warn_once(notices.Notice(message, about, suffix=suffix), folder, seconds)


def _suggest_models(name: str) -> str:
    """Return a question with known names similar to ``name``, "" if there are none."""
    near = lookup.find_similar_names(name[:200]) if name else []
    return f"did you mean {' or '.join(near)}? " if near else ""
