"""Requests within a session: its window, its model and its tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.edge.option_values import find_model, is_same_model

if TYPE_CHECKING:
    from ctxkit.core.session.ledger import Session
    from ctxkit.edge.request import CliRequest
    from ctxkit.edge.settings import Settings


def create_session(request: CliRequest, name: str, settings: Settings) -> Session:
    """Return the session that begins with this call; its window is 0 if the request's is only assumed."""
    from ctxkit.core.session.ledger import Session
    from ctxkit.edge import custom_vocabulary

    budget = request.budget(settings)
    request.vocabulary(settings)  # report an unknown tokenizer now, not at the first count
    model = request.model_name(settings)
    tokenizer = request.tokenizer or settings.tokenizer(model).value
    window, reserve = (0, 0) if request.assumed else (budget.window, budget.reserve)
    return Session(name, window, reserve, model, custom_vocabulary.make_absolute(tokenizer), budget.used)


def _find_other_model(request: CliRequest, session: Session) -> str:
    """Return the model of the request if it is not that of the session under another name, else ""."""
    name = request.model or ""
    if not name or not session.model or name == session.model:
        return ""
    known = find_model(name)
    return name if known is None or known != find_model(session.model) else ""


def _find_window(model: str, settings: Settings) -> int:
    """Return the window that the settings give for a model, or its own; 0 for none and for an unknown one."""
    if not model:
        return 0
    setting, known = settings.lookup_for_model(model, "window"), find_model(model)
    return setting.value if setting else known.window if known else 0


def apply_session(request: CliRequest, session: Session, settings: Settings) -> CliRequest:
    """Return the request inside a session: its window, model and tokenizer, unless an option overrides them.

    With another model, use the window that the settings give for it, or its own if known. With another window, use
    the settings' reserve. A session that began without a known window gets the one that is known now, or an assumed
    one.
    """
    other_model = _find_other_model(request, session)
    window = request.window or _find_window(other_model, settings) or session.window
    reserve = str(session.reserve) if window and window == session.window else None
    inside = request._replace(
        session=session.name,
        model=request.model or session.model or None,
        window=window or None,
        reserve=request.reserve or reserve,
        used=session.occupancy,
        tokenizer=request.tokenizer or (None if other_model else session.tokenizer or None),
    )
    return inside.assume_window(settings)


def explain_kept_window(request: CliRequest, session: Session, settings: Settings) -> str:
    """Return why the named model does not change a session's window, "" if nothing is lost."""
    if not request.model or request.window or not session.window or is_same_model(request.model, session.model):
        return ""
    inside = apply_session(request, session, settings)
    setting = settings.lookup_for_model(request.model, "window")
    known = find_model(request.model)
    model_window = setting.value if setting else known.window if known else 0
    if inside.window == model_window:
        return ""
    from ctxkit.core.text.escapes import escape_line

    kept = f"session {session.name} keeps its window of {session.window:,} tokens"
    return f"{kept}: --model {escape_line(request.model)} does not change it"
