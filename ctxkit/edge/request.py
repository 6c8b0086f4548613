"""What the shared options of a call ask for, and what that means under the settings."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from ctxkit.core import models, vocabulary
from ctxkit.core.budget import RESERVE, Budget, reserve_of
from ctxkit.core.hint import Hint, template_of
from ctxkit.core.label import Label, title_of
from ctxkit.core.shell import quoted
from ctxkit.core.terms import Terms
from ctxkit.core.trouble import BadSettings, Misuse
from ctxkit.core.vocabulary import Vocabulary
from ctxkit.edge.settings import Setting, Settings

Value = TypeVar("Value")


class Request(NamedTuple):
    """Hold the values of the shared options as they were typed."""

    model: str | None = None
    window: int | None = None
    reserve: str | None = None
    used: int = 0
    tokenizer: str | None = None
    limit: int | None = None
    name: str | None = None
    forced: str | None = None
    hint: str | None = None
    no_store: bool = False
    strict: bool = False
    events: str | None = None

    def window_flags(self) -> str:
        """Return the options of the window as they were typed, to be repeated in a command that is shown."""
        names = ("model", "window", "reserve", "used", "tokenizer")
        given = [(name, getattr(self, name)) for name in names]
        return "".join(f" --{name} {quoted(str(value))}" for name, value in given if value)

    def known_model(self, settings: Settings) -> models.Model | None:
        """Return the model that holds, None when it is not named or not in the table."""
        name = self.model or settings["model"]
        return models.model_of(name) if name else None

    def budget(self, settings: Settings) -> Budget:
        """Return the budget: flags, then settings, then the model's own window."""
        known = self.known_model(settings)
        size = self.window or settings["window"] or settings["context_budget"] or (known.window if known else 0)
        if not size:
            raise _windowless(self.model or settings["model"])
        return Budget(
            size,
            self._reserve(settings, size),
            self.used,
            settings["compact_trigger"],
            settings["hard_block"],
            settings["briefing_cap"],
        )

    def vocabulary(self, settings: Settings) -> Vocabulary:
        """Return the vocabulary to count with; an unknown model is estimated."""
        if self.tokenizer:
            return vocabulary_of(self.tokenizer)
        if settings["tokenizer"]:
            return _understood(settings.of("tokenizer"), vocabulary_of)
        known = self.known_model(settings)
        return vocabulary_of(known.tokenizer if known else "estimate")

    def _reserve(self, settings: Settings, size: int) -> int:
        """Return the reserve in tokens: the flag, the setting, the answer's length, a fifth of the window."""
        if self.reserve:
            return _reserve(self.reserve, size)
        if settings["reserve"]:
            return _understood(settings.of("reserve"), lambda text: _reserve(text, size))
        return _reserve(str(settings["max_output_tokens"] or f"{RESERVE:.0%}"), size)

    def target(self, settings: Settings, default: int) -> int:
        """Return the size of a map in a window if one is named, else ``default``; in tokens."""
        named = self.window or self.model or settings["window"] or settings["model"] or settings["context_budget"]
        return self.budget(settings).target(self.limit) if named else default

    def title(self, name: str) -> str:
        """Return what the content is called: --name, else ``name``."""
        return title_of(self.name) if self.name else name

    def hint_in(self, settings: Settings, default: str, title: str) -> Hint:
        """Return the hint: --hint, else the setting unless that is the default one, else ``default``."""
        chosen = settings.of("hint")
        if self.hint or chosen.source == "default":
            return Hint(hint_of(self.hint or default), name=title)
        return Hint(_understood(chosen, hint_of), name=title)

    def kind(self) -> str:
        """Return the kind or language that --type names, empty for none."""
        return type_of(self.forced)

    def terms(self, settings: Settings, name: str, preface: Callable[[], str] = lambda: "") -> Terms:
        """Return the terms of the gate for content of that name."""
        title = self.title(name)
        return Terms(
            self.budget(settings),
            self.vocabulary(settings),
            self.hint_in(settings, "ctxkit", title),
            self.limit,
            Label("" if title == "stdin" else title),
            self.kind(),
            preface,
            self.strict or settings["strict"],
        )


def _understood(setting: Setting, read: Callable[[str], Value]) -> Value:
    """Read a setting as its flag is read; what is wrong is blamed on where it is written."""
    try:
        return read(setting.value)
    except Misuse as trouble:
        raise BadSettings(f"{setting.source}: {trouble}", hint=trouble.hint) from None


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
    """Return a vocabulary by name; raises Misuse, naming those there are."""
    try:
        return vocabulary.vocabulary_of(name)
    except KeyError:
        names = ", ".join(vocabulary.VOCABULARIES)
        raise Misuse(f"unknown tokenizer: {name}", hint=f"one of {names}") from None


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
