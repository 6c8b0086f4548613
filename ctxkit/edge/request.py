"""What the shared options of a call ask for, and what that means under the settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ctxkit.core import models, vocabulary
from ctxkit.core.budget import RESERVE, Budget, reserve_of
from ctxkit.core.hint import Hint, template_of
from ctxkit.core.label import Label, listed_title, title_of
from ctxkit.core.shell import quoted
from ctxkit.core.terms import Terms
from ctxkit.core.trouble import BadSettings, Misuse
from ctxkit.core.vocabulary import Vocabulary
from ctxkit.edge.settings import Setting, Settings

if TYPE_CHECKING:
    from ctxkit.core.ledger import Session
    from ctxkit.edge.redacting import Redaction

Value = TypeVar("Value")
LIMITLESS = 10**12
"""Tokens of a window into which anything fits."""


class Request(NamedTuple):
    """Hold the values of the shared options as they were typed."""

    model: str | None = None
    window: int | None = None
    reserve: str | None = None
    used: int | None = None
    tokenizer: str | None = None
    session: str | None = None
    limit: int | None = None
    name: str | None = None
    forced: str | None = None
    focus: str | None = None
    hint: str | None = None
    no_store: bool = False
    strict: bool = False
    events: str | None = None
    redact: bool = False

    def window_flags(self) -> str:
        """Return the options of the window as they were typed, to be repeated in a command that is shown."""
        names = ("model", "window", "reserve", "used", "tokenizer", "session")
        given = [(name, getattr(self, name)) for name in names]
        return "".join(f" --{name} {quoted(str(value))}" for name, value in given if value)

    def redaction(self, settings: Settings) -> Redaction:
        """Return what masks the secrets of the content, if that is asked for or set."""
        from ctxkit.edge.redacting import Redaction

        return Redaction(on=self.redact or settings["redact"])

    def known_model(self, settings: Settings) -> models.Model | None:
        """Return the model that holds, None when it is not named or not in the table; the settings do not alter it."""
        name = self.model_name(settings)
        return models.model_of(name) if name else None

    def model_name(self, settings: Settings) -> str:
        """Return the name of the model that holds, empty when none is named."""
        return str(self.model or settings["model"])

    def budget(self, settings: Settings) -> Budget:
        """Return the budget: flags, then settings, then the model's own window."""
        name = self.model_name(settings)
        size = self.window or settings.window(name).value
        if not size:
            known = self.known_model(settings)
            size = known.window if known else 0
        if not size:
            raise _windowless(name)
        return Budget(
            size,
            self._reserve(settings, size),
            self.used or 0,
            settings["compact_trigger"],
            settings["hard_block"],
            settings["briefing_cap"],
        )

    def seat(self, settings: Settings) -> str:
        """Return the name of the session that the call is made in, empty for none; raises Misuse for a bad one."""
        if self.session is None and not settings["session"]:
            return ""
        from ctxkit.core.ledger import checked

        name = _understood(settings.of("session"), checked) if self.session is None else checked(self.session)
        if self.used is not None:
            hint = f"its ledger knows; to correct it: ctxkit session reset {quoted(name)} --used {self.used}"
            raise Misuse(f"--used does not go with session {name}", hint=hint)
        return name

    def opening(self, name: str, settings: Settings) -> Session:
        """Return the session that would begin with this call."""
        from ctxkit.core.ledger import Session
        from ctxkit.edge import own

        budget = self.budget(settings)
        self.vocabulary(settings)  # what cannot be counted later is better said now
        model = self.model_name(settings)
        tokenizer = self.tokenizer or settings.tokenizer(model).value
        return Session(name, budget.window, budget.reserve, model, own.anywhere(tokenizer), budget.used)

    def alone(self, settings: Settings) -> Request:
        """Return what is asked without its session, for when that cannot be used; what has no window then passes."""
        if self.window or settings.window(self.model_name(settings)).value or self.known_model(settings):
            return self._replace(session=None)
        return self._replace(session=None, window=LIMITLESS, reserve="0")

    def within(self, session: Session, settings: Settings) -> Request:
        """Return what is asked inside a session: its window, model and tokenizer hold where no option says otherwise.

        With another model, the window holds that the settings give for it, or its own where it is known; with
        another window, the settings' reserve.
        """
        known = models.model_of(self.model) if self.model else None
        another = bool(self.model and session.model and self.model != session.model)
        another = another and (known is None or known != models.model_of(session.model))
        told = settings.of_model(self.model, "window") if another and self.model else None
        other = told.value if told else known.window if another and known else 0
        window = self.window or other or session.window
        reserve = str(session.reserve) if window == session.window else None
        return self._replace(
            session=session.name,
            model=self.model or session.model or None,
            window=window,
            reserve=self.reserve or reserve,
            used=session.taken,
            tokenizer=self.tokenizer or (None if another else session.tokenizer or None),
        )

    def vocabulary(self, settings: Settings) -> Vocabulary:
        """Return the vocabulary to count with; an unknown model is estimated, as receipts taught if they did."""
        found = self._named_vocabulary(settings)
        taught = None if found.exact else settings["calibration"].get(found.name)
        if taught is None:
            return found
        from ctxkit.core.calibration import Factor

        return Factor(**taught).applied(found)

    def _named_vocabulary(self, settings: Settings) -> Vocabulary:
        if self.tokenizer:
            return vocabulary_of(self.tokenizer)
        chosen = settings.tokenizer(self.model_name(settings))
        if chosen.value:
            return _understood(chosen, vocabulary_of)
        known = self.known_model(settings)
        return vocabulary_of(known.tokenizer if known else "estimate")

    def _reserve(self, settings: Settings, size: int) -> int:
        """Return the reserve in tokens: the flag, the setting, the answer's length, a fifth of the window."""
        if self.reserve:
            return _reserve(self.reserve, size)
        chosen = settings.first("reserve", "max_output_tokens")[1]
        if chosen.value:
            return _understood(chosen, lambda text: _reserve(str(text), size))
        return _reserve(f"{RESERVE:.0%}", size)

    def target(self, settings: Settings, default: int) -> int:
        """Return the size of a map in a window if one is named, else ``default``; in tokens."""
        named = self.window or self.model_name(settings) or settings.window().value
        return self.budget(settings).target(self.limit) if named else default

    def title(self, name: str) -> str:
        """Return what the content is called: --name, else ``name``."""
        return title_of(self.name or name)

    def hint_in(self, settings: Settings, default: str, name: str) -> Hint:
        """Return the hint: --hint, else the setting unless that is the default one, else ``default``.

        Its name is --name, else ``name``, as it is: it has to lead back to a file.
        """
        chosen = settings.of("hint")
        if self.hint or chosen.source == "default":
            return Hint(hint_of(self.hint or default), name=self.name or name)
        return Hint(_understood(chosen, hint_of), name=self.name or name)

    def kind(self) -> str:
        """Return the kind or language that --type names, empty for none."""
        return type_of(self.forced)

    def terms(
        self, settings: Settings, name: str, preface: Callable[[], str] = lambda: "", *, listed: str = ""
    ) -> Terms:
        """Return the terms of the gate for content of that name; lists call it ``listed`` unless --name is given."""
        title, label = self.title(name), listed_title(self.name or listed or name)
        return Terms(
            self.budget(settings),
            self.vocabulary(settings),
            self.hint_in(settings, "ctxkit", name),
            self.limit,
            Label("" if label == "stdin" else label, session=self.session or ""),
            self.kind(),
            preface,
            self.strict or settings["strict"],
            focus=self.focus or "",
            heading=title if title != label else "",
        )


def _understood(setting: Setting, read: Callable[[str], Value]) -> Value:
    """Read a setting as its flag is read; what is wrong is blamed on where it is written."""
    try:
        return read(setting.value)
    except Misuse as trouble:
        what = str(trouble).removeprefix("--reserve: ").removeprefix("--hint: ")
        raise BadSettings(f"{setting.source}: {what}", hint=trouble.hint) from None


def _windowless(name: str) -> Misuse:
    if not name:
        return Misuse("the window is not known", hint="give --model NAME or --window N, or set CTXKIT_MODEL")
    near = models.nearest(name)
    like = f"did you mean {' or '.join(near)}? " if near else ""
    return Misuse(f"unknown model: {name}", hint=f"{like}--window N says how large its window is")


def _reserve(reserve: str, size: int) -> int:
    try:
        return reserve_of(reserve, size)
    except ValueError as error:
        what = str(error) if "leaves" in str(error) else f"{reserve!r} is neither tokens nor a percentage"
        raise Misuse(f"--reserve: {what}", hint="as in --reserve 4096 or --reserve 20%") from None


def vocabulary_of(name: str) -> Vocabulary:
    """Return a vocabulary by name or by the path of its file.

    Raises Misuse for an unknown name, naming those there are; MissingInput or Malformed for a bad file.
    """
    try:
        return vocabulary.vocabulary_of(name)
    except KeyError:
        pass
    from ctxkit.edge import own

    if own.is_path(name):
        return own.vocabulary_at(name)
    names = ", ".join(vocabulary.VOCABULARIES)
    raise Misuse(f"unknown tokenizer: {name}", hint=f"one of {names}, or the path of a tokenizer.json or a GGUF file")


def hint_of(text: str) -> str:
    """Return the template of a hint; raises Misuse when it is none."""
    try:
        return template_of(text)
    except ValueError as error:
        raise Misuse(f"--hint: {error}") from None


def type_of(forced: str | None) -> str:
    """Return a kind or language that there is, empty for none; raises Misuse for any other."""
    if not forced:
        return ""
    from ctxkit.core.brief import detect

    try:
        detect.named(forced)
    except KeyError:
        from difflib import get_close_matches

        near = get_close_matches(forced, detect.types(), 3) or detect.types()
        raise Misuse(f"unknown type: {forced}", hint=f"one of {', '.join(near)}") from None
    return forced
