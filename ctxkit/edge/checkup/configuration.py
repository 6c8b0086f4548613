"""Check the settings with their sources and errors, the budget, and the directories that ctxkit writes to."""

import os
from collections.abc import Callable, Iterator, Mapping

from ctxkit.core.checkup import Check
from ctxkit.core.errors import CtxkitError, UsageError
from ctxkit.core.models import lookup
from ctxkit.core.redaction.masking import mask_secrets
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.quantity import format_size
from ctxkit.core.text.shell import quote_path
from ctxkit.edge import user_dirs
from ctxkit.edge.option_values import LARGEST, parse_option_reserve, read_hint, vocabulary_of
from ctxkit.edge.request import CliRequest
from ctxkit.edge.request_variables import OTHER_VARIABLES
from ctxkit.edge.setting_definitions import format_value
from ctxkit.edge.settings import KEYS, OF_MODEL, Settings
from ctxkit.system import file_locks

_TOPIC = "settings"


def check_settings(settings: Settings, errors: list[CtxkitError], environ: Mapping[str, str]) -> Iterator[Check]:
    """Yield the errors in the settings, the budget, and each setting."""
    for error in errors:
        where, _, what = str(error).partition(": ")
        message = mask_secrets(f"{where}: {what}")
        yield Check(_TOPIC, "wrong", message, "bad", error.hint or "correct it or remove it")
    yield from _check_variables(environ)
    yield from _check_ignored(settings)
    yield from _check_budget(settings)
    for key in KEYS:
        value, source = settings.lookup(key)
        yield Check(_TOPIC, key, f"{_format_value(value)}  ({source})")
    for name in settings.models():
        for key in OF_MODEL:
            setting = settings.lookup_for_model(name, key)
            if setting:
                yield Check(_TOPIC, f"models.{name}.{key}", f"{_format_value(setting.value)}  ({setting.source})")


def _check_ignored(settings: Settings) -> Iterator[Check]:
    """Yield the ignored settings of a project's file, and the files that were not read."""
    for path in settings.project.foreign:
        hint = "settings are read only from files of yours or root's"
        yield Check(_TOPIC, "not read", f"{escape_line(path)}: belongs to another user", "absent", hint)
    for setting in settings.project.ignored:
        why = f"a project may give only {setting.words}" if setting.words else "a project may not set it"
        hint = f"ctxkit trust {quote_path(settings.project.directory) or '.'} lets it hold"
        if setting.is_for_user_file():
            hint = "only the user's own file may say it"
        message = f"{escape_line(setting.source)}: {escape_line(setting.key)} = {format_value(setting.value)}: {why}"
        yield Check(_TOPIC, "ignored", message, "absent", hint)


def _check_variables(environ: Mapping[str, str]) -> Iterator[Check]:
    """Yield variables that look like settings but are not, which nothing else reports."""
    from difflib import get_close_matches

    known = [*(f"CTXKIT_{key.upper()}" for key, key_of in KEYS.items() if not key_of.user_file_only), *OTHER_VARIABLES]
    for name in sorted(environ):
        if name.startswith("CTXKIT_") and name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else "ctxkit reads no such variable"
            yield Check(_TOPIC, name, "unknown variable", "bad", hint)


def _check_budget(settings: Settings) -> Iterator[Check]:
    """Yield the budget of a command without options, or why there is none."""
    request = CliRequest()
    name = request.model_name(settings)
    if not name and not settings.window().value:
        hint = "set CTXKIT_MODEL or CTXKIT_WINDOW, or give --model or --window each time"
        yield Check(_TOPIC, "in use", "no model and no window", "absent", hint)
        return
    limits: list[str] = []
    settings.report_limit = limits.append
    try:
        budget, vocabulary = request.budget(settings), request.vocabulary(settings)
    except CtxkitError as error:
        yield Check(_TOPIC, "in use", mask_secrets(str(error)), "bad", error.hint)
        return
    for limit in dict.fromkeys(limits):
        hint = f"ctxkit trust {quote_path(settings.project.directory) or '.'} lifts the limit"
        yield Check(_TOPIC, "limited", escape_line(limit), "absent", hint)
    known = lookup.find_model(name) if name else None
    resolved_name = f" ({known.name})" if known and known.name != name else ""
    kind = "exact" if vocabulary.exact else "estimate"
    yield Check(
        _TOPIC,
        "in use",
        f"{f'model {name}{resolved_name}, ' if name else ''}window {budget.window:,}, reserve {budget.reserve:,}, "
        f"tokenizer {vocabulary.name} ({kind})",
    )


def _format_value(value: object) -> str:
    """Return a value as it is written in a file, with passwords and keys masked."""
    if not value and value is not False:
        return "-"
    return mask_secrets(format_value(list(value) if isinstance(value, tuple) else value, longest=1000))


_SUMMARIZERS = ("extract", "llama", "http", "https", "cmd")
"""What the name of a summarizer begins with, up to a colon."""


def check_values(settings: Settings) -> Iterator[Check]:
    """Yield the settings whose value no command can use, and the file of events if it cannot be written."""
    for key, check in _CHECKERS.items():
        value, source = settings.lookup(key)
        if not value or not isinstance(value, str):
            continue
        try:
            check(value)
        except CtxkitError as error:
            what = str(error).removeprefix(f"--{key}: ")
            message = f"{escape_line(source)}: {key}: {escape_line(mask_secrets(what))}"
            yield Check(_TOPIC, "wrong", message, "bad", error.hint or "correct it or remove it")


def _check_reserve(value: str) -> None:
    parse_option_reserve(value, LARGEST)


def _check_summarizer(value: str) -> None:
    kind, _, rest = value.partition(":")
    if kind not in _SUMMARIZERS or (kind not in ("extract", "llama") and not rest.strip("/ ")):
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


_CHECKERS: Mapping[str, Callable[[str], object]] = {
    "tokenizer": vocabulary_of,
    "reserve": _check_reserve,
    "hint": read_hint,
    "session": check_session_name,
    "summarizer": _check_summarizer,
    "events": _check_events,
}
"""The functions that raise CtxkitError for a value that cannot be used, by the key of the setting."""
_DIRECTORIES = "directories"
SCARCE = 100 << 20
"""Bytes of free space below which storing content may soon fail."""


def check_directories(settings: Settings) -> Iterator[Check]:
    """Yield whether each directory is usable, its permissions, and its free space."""
    for name, path in (
        ("cache", settings["cache_dir"] or user_dirs.cache_dir()),
        ("data", settings["data_dir"] or user_dirs.data_dir()),
    ):
        yield _check_writable(name, path, f"set CTXKIT_{name.upper()}_DIR to a directory of yours")
    yield _check_readable(os.path.dirname(user_dirs.settings_file()))


def _check_writable(name: str, path: str, remedy: str) -> Check:
    existing = _find_existing_parent(path)
    if hint := user_dirs.find_home_hint(path):
        return Check(_DIRECTORIES, name, "there is no home directory", "bad", hint.partition(": ")[2])
    if not os.path.isdir(existing):
        return Check(_DIRECTORIES, name, f"{path}: {existing} is not a directory", "bad", remedy)
    if not os.access(existing, os.W_OK | os.X_OK):
        return Check(_DIRECTORIES, name, f"{path}: cannot be written", "bad", remedy)
    free = _count_free_bytes(existing)
    space = f"{format_size(free)} free"
    if free < SCARCE:
        return Check(_DIRECTORIES, name, f"{path}: only {space}", "bad", f"free some space, or {remedy}")
    if existing != path:
        return Check(_DIRECTORIES, name, f"{path}: created when it is needed, {space}")
    if file_locks.lacks_locks(path):
        return Check(_DIRECTORIES, name, f"{path}: {file_locks.MISSING}", "bad", remedy)
    mode = os.stat(path).st_mode & 0o777
    if mode & 0o022:
        message = f"{path}: others can write to it (mode {mode:04o}), {space}"
        return Check(_DIRECTORIES, name, message, "bad", f"chmod 700 {quote_path(path)}")
    return Check(_DIRECTORIES, name, f"{path}: mode {mode:04o}, {space}")


def _check_readable(path: str) -> Check:
    if not os.path.isdir(path):
        return Check(_DIRECTORIES, "config", f"{path}: does not exist, and nothing needs it")
    if not os.access(path, os.R_OK | os.X_OK):
        return Check(_DIRECTORIES, "config", f"{path}: cannot be read", "bad", f"chmod 700 {quote_path(path)}")
    return Check(_DIRECTORIES, "config", path)


def _find_existing_parent(path: str) -> str:
    """Return a path, or its nearest parent that exists."""
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path or os.curdir


def _count_free_bytes(path: str) -> int:
    """Return the bytes that are free for this user."""
    import shutil

    return shutil.disk_usage(path).free
