"""Values of options and settings: models, vocabularies, reserves, hints, types; sizes that a project may not set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.errors import MalformedInputError, MissingInputError, SettingsError, UsageError
from ctxkit.core.text.retrieval_hint import parse_template
from ctxkit.core.tokens import budget
from ctxkit.core.tokens.budget import RESERVE
from ctxkit.core.tokens.vocabulary import Vocabulary, is_rate, vocabulary_from_rate
from ctxkit.edge.settings import Setting, Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ctxkit.core.models.lookup import Model

    Value = TypeVar("Value")

DEFAULT_RESERVE = f"{RESERVE:.0%}"
GGUF = ".gguf"
LARGEST = 10**12
"""Tokens of the largest possible window, for checking a reserve if the window is unknown."""


def read_setting(settings: Settings, setting: Setting, read: Callable[[str], Value]) -> Value | None:
    """Parse a setting like its flag; report an error with the source of the setting.

    Return None if the default should replace it.
    """
    try:
        return read(setting.value)
    except UsageError as error:
        from ctxkit.core.text.escapes import escape_line

        what = str(error).removeprefix("--reserve: ").removeprefix("--hint: ")
        settings.blame(SettingsError(f"{setting.source}: {escape_line(what)}", hint=error.hint))
    except (MissingInputError, MalformedInputError) as error:
        settings.blame(error)
    return None


def find_model(name: str) -> Model | None:
    """Return the model with a name in any spelling, or in a GGUF file; the table is loaded for a named model only."""
    if name[-len(GGUF) :].lower() == GGUF:
        from ctxkit.edge import custom_vocabulary

        model = custom_vocabulary.read_model(name)
        if model:
            return model
    from ctxkit.core.models import lookup

    return lookup.find_model(name)


def is_same_model(name: str, other_name: str) -> bool:
    """Return whether two names are of the same model."""
    if name == other_name:
        return True
    known = find_model(name)
    return known is not None and known == find_model(other_name)


def make_window_error(name: str) -> UsageError:
    """Return the error of an unknown window: no model is named, or it is unknown."""
    if not name:
        return UsageError("the window is not known", hint="give --model NAME or --window N, or set CTXKIT_MODEL")
    from ctxkit.core.models.lookup import find_similar_names

    near = find_similar_names(name)
    like = f"did you mean {' or '.join(near)}? " if near else ""
    return UsageError(f"unknown model: {name}", hint=f"{like}--window N gives the size of its window")


def parse_assumed_reserve(reserve: str, size: int) -> int:
    """Return the reserve in tokens; the default if it would leave nothing of the window."""
    tokens = parse_option_reserve(reserve, LARGEST)
    too_much = tokens >= size and not reserve.endswith("%")
    return parse_option_reserve(DEFAULT_RESERVE if too_much else reserve, size)


def parse_option_reserve(reserve: str, size: int) -> int:
    """Return the reserve in tokens of a window; raise UsageError if it is not a reserve."""
    try:
        return parse_reserve(reserve, size)
    except ValueError as error:
        is_unlimited = size == LARGEST and not reserve.endswith("%") and "leaves" in str(error)
        what = f"{reserve[:80]!r} is more than any window holds" if is_unlimited else error
        raise UsageError(f"--reserve: {what}", hint="as in --reserve 4096, --reserve 8k or --reserve 20%") from None


def parse_reserve(text: str, window: int) -> int:
    """Return the reserve in tokens for ``4096``, ``4k`` or ``20%`` of the window.

    Raise ValueError if it is none of these, is negative, or leaves no window.
    """
    try:
        tokens = round(window * float(text[:-1]) / 100) if text.endswith("%") else _parse_tokens(text)
    except (ValueError, OverflowError):
        raise ValueError(f"{text[:80]!r} is neither tokens nor a percentage") from None
    if tokens < 0:
        raise ValueError(f"{text[:80]!r} is negative")
    if tokens >= window:
        size = "the window" if text.endswith("%") else f"a window of {window:,} tokens"
        raise ValueError(f"{text[:80]!r} leaves nothing of {size}")
    return tokens


def _parse_tokens(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        from ctxkit.core.text.quantity import parse_number

        return parse_number(text)


def vocabulary_of(name: str) -> Vocabulary:
    """Return a vocabulary by name or by the path of its file.

    Raise UsageError for an unknown name, MissingInputError or MalformedInputError for a bad file.
    """
    if is_rate(name):
        return vocabulary_from_rate(name)
    from ctxkit.core.tokens import vocabulary

    try:
        return vocabulary.find_vocabulary(name)
    except KeyError:
        pass
    from ctxkit.edge import custom_vocabulary

    if custom_vocabulary.is_path(name):
        return custom_vocabulary.read_vocabulary(name)
    names = ", ".join((*vocabulary.VOCABULARIES, "bytes/N", "chars/N"))
    hint = f"one of {names}, or the path of a tokenizer.json or a GGUF file"
    raise UsageError(f"unknown tokenizer: {name}", hint=hint)


def read_hint(text: str) -> str:
    """Return the template of a hint; raise UsageError if it is invalid."""
    try:
        return parse_template(text)
    except ValueError as error:
        raise UsageError(f"--hint: {error}") from None


def check_content_type(content_type: str | None) -> str:
    """Return a known kind or language, "" for none; raise UsageError for any other."""
    if not content_type:
        return ""
    from ctxkit.core.brief import kind_detection

    try:
        kind_detection.find_kind(content_type)
    except KeyError:
        from difflib import get_close_matches

        known = kind_detection.list_content_types()
        near = get_close_matches(content_type, known, 3) or known
        raise UsageError(f"unknown type: {content_type}", hint=f"one of {', '.join(near)}") from None
    return content_type


_PART = 4
"""A project may lower a size to one part of so many."""
_LARGEST_WINDOW = 2_000_000
"""Tokens of the largest window that a project may state if the user states none."""
MOST = {
    "compact_trigger": budget.COMPACT_TRIGGER,
    "hard_block": budget.HARD_BLOCK,
    "briefing_cap": _PART * budget.BRIEFING_CAP,
    "low_water": 0.75,
    "keep_last": 64,
}
"""The largest value that a project may give a setting if the user gives none."""
_FEWEST_MESSAGES = 8
"""The smallest keep_last of a project if the user gives none."""


def lookup_size(settings: Settings, key: str) -> float:
    """Return the value of a setting in ``MOST``, that of a project within limits; 0 means that it is not set."""
    setting = settings.lookup(key)
    size: float = setting.value
    if not size or not settings.project.find_limited_key(setting):
        return size
    own = settings.without_project().lookup(key)
    least = own.value / _PART or _FEWEST_MESSAGES
    most = MOST[key] if own.source == "default" else own.value
    return settings.limit_size(setting, size, type(size)(least), most)


def limit_window(settings: Settings, setting: Setting, own: int, assumed: int) -> int:
    """Return a window in tokens; ``own`` is the one without the project, 0 if it is unknown and ``assumed``."""
    return int(settings.limit_size(setting, setting.value, (own or assumed) // _PART, own or _LARGEST_WINDOW))


def limit_reserve(settings: Settings, setting: Setting, tokens: int, window: int, own: budget.Budget) -> int:
    """Return a reserve in tokens that leaves a quarter of the window without the project, and of its reserve."""
    most = max(window - own.effective // _PART, own.reserve * window // own.window)
    return int(settings.limit_size(setting, tokens, min(own.reserve // _PART, most), most))


def limit_recent(settings: Settings, usual: int, most: int) -> int | None:
    """Return the recent tokens that a compaction keeps, None for the ``usual`` number."""
    setting = settings.lookup("keep_recent")
    if not setting.value or not settings.project.find_limited_key(setting):
        return setting.value or None
    own = settings.without_project()["keep_recent"]
    return int(settings.limit_size(setting, setting.value, (own or usual) // _PART, own or most))
