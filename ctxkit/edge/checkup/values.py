"""Check the values of settings that commands read only when they use them."""

import os
from collections.abc import Callable, Iterator, Mapping

from ctxkit.core.checkup import Check
from ctxkit.core.errors import CtxkitError, UsageError
from ctxkit.core.redaction.masking import mask_secrets
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.text.escapes import escape_line
from ctxkit.edge.option_values import LARGEST, parse_option_reserve, read_hint, vocabulary_of
from ctxkit.edge.settings import Settings

TOPIC = "settings"
SUMMARIZERS = ("extract", "llama", "http", "https", "cmd")
"""What the name of a summarizer begins with, up to a colon."""


def checks(settings: Settings) -> Iterator[Check]:
    """Yield the settings whose value no command can use, and the file of events if it cannot be written."""
    for key, check in CHECKERS.items():
        value, source = settings.lookup(key)
        if not value or not isinstance(value, str):
            continue
        try:
            check(value)
        except CtxkitError as error:
            what = str(error).removeprefix(f"--{key}: ")
            message = f"{escape_line(source)}: {key}: {escape_line(mask_secrets(what))}"
            yield Check(TOPIC, "wrong", message, "bad", error.hint or "correct it or remove it")


def _check_reserve(value: str) -> None:
    parse_option_reserve(value, LARGEST)


def _check_summarizer(value: str) -> None:
    kind, _, rest = value.partition(":")
    if kind not in SUMMARIZERS or (kind not in ("extract", "llama") and not rest.strip("/ ")):
        raise UsageError(f"unknown summarizer: {value}", hint="extract, llama[:FILE], http(s)://... or cmd:PROGRAM")


def _check_events(path: str) -> None:
    """Raise UsageError if no line can be appended to a file; create nothing."""
    folder = os.path.dirname(path) or os.curdir
    if os.path.isdir(path):
        raise UsageError(f"{path} is a directory", hint="name a file")
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise UsageError(f"{path} cannot be written", hint="make it writable, or name another file")
    if not os.path.isdir(folder):
        raise UsageError(f"{folder} is not a directory", hint=f"mkdir -p {folder}")
    if not os.path.exists(path) and not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{folder} cannot be written", hint="name a file in a directory of yours")


CHECKERS: Mapping[str, Callable[[str], object]] = {
    "tokenizer": vocabulary_of,
    "reserve": _check_reserve,
    "hint": read_hint,
    "session": check_session_name,
    "summarizer": _check_summarizer,
    "events": _check_events,
}
"""The functions that raise CtxkitError for a value that cannot be used, by the key of the setting."""
