"""Check the settings: each value with its source, errors, and the resulting budget."""

from collections.abc import Iterator, Mapping

from ctxkit.core.checkup import Check
from ctxkit.core.errors import CtxkitError
from ctxkit.core.models import lookup
from ctxkit.core.redaction.masking import mask_secrets
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.shell import quote_path
from ctxkit.edge.request import CliRequest
from ctxkit.edge.request_variables import OTHER_VARIABLES
from ctxkit.edge.setting_definitions import format_value
from ctxkit.edge.settings import KEYS, OF_MODEL, Settings

TOPIC = "settings"


def checks(settings: Settings, errors: list[CtxkitError], environ: Mapping[str, str]) -> Iterator[Check]:
    """Yield the errors in the settings, the budget, and each setting."""
    for error in errors:
        where, _, what = str(error).partition(": ")
        message = mask_secrets(f"{where}: {what}")
        yield Check(TOPIC, "wrong", message, "bad", error.hint or "correct it or remove it")
    yield from _check_variables(environ)
    yield from _check_ignored(settings)
    yield from _check_budget(settings)
    for key in KEYS:
        value, source = settings.lookup(key)
        yield Check(TOPIC, key, f"{_format_value(value)}  ({source})")
    for name in settings.models():
        for key in OF_MODEL:
            setting = settings.lookup_for_model(name, key)
            if setting:
                yield Check(TOPIC, f"models.{name}.{key}", f"{_format_value(setting.value)}  ({setting.source})")


def _check_ignored(settings: Settings) -> Iterator[Check]:
    """Yield the ignored settings of a project's file, and the files that were not read."""
    for path in settings.project.foreign:
        hint = "settings are read only from files of yours or root's"
        yield Check(TOPIC, "not read", f"{escape_line(path)}: belongs to another user", "absent", hint)
    for setting in settings.project.ignored:
        why = f"a project may give only {setting.words}" if setting.words else "a project may not set it"
        hint = f"ctxkit trust {quote_path(settings.project.directory) or '.'} lets it hold"
        if setting.is_for_user_file():
            hint = "only the user's own file may say it"
        message = f"{escape_line(setting.source)}: {escape_line(setting.key)} = {format_value(setting.value)}: {why}"
        yield Check(TOPIC, "ignored", message, "absent", hint)


def _check_variables(environ: Mapping[str, str]) -> Iterator[Check]:
    """Yield variables that look like settings but are not, which nothing else reports."""
    from difflib import get_close_matches

    known = [*(f"CTXKIT_{key.upper()}" for key, key_of in KEYS.items() if not key_of.user_file_only), *OTHER_VARIABLES]
    for name in sorted(environ):
        if name.startswith("CTXKIT_") and name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else "ctxkit reads no such variable"
            yield Check(TOPIC, name, "unknown variable", "bad", hint)


def _check_budget(settings: Settings) -> Iterator[Check]:
    """Yield the budget of a command without options, or why there is none."""
    request = CliRequest()
    name = request.model_name(settings)
    if not name and not settings.window().value:
        hint = "set CTXKIT_MODEL or CTXKIT_WINDOW, or give --model or --window each time"
        yield Check(TOPIC, "in use", "no model and no window", "absent", hint)
        return
    limits: list[str] = []
    settings.report_limit = limits.append
    try:
        budget, vocabulary = request.budget(settings), request.vocabulary(settings)
    except CtxkitError as error:
        yield Check(TOPIC, "in use", mask_secrets(str(error)), "bad", error.hint)
        return
    for limit in dict.fromkeys(limits):
        hint = f"ctxkit trust {quote_path(settings.project.directory) or '.'} lifts the limit"
        yield Check(TOPIC, "limited", escape_line(limit), "absent", hint)
    known = lookup.find_model(name) if name else None
    resolved_name = f" ({known.name})" if known and known.name != name else ""
    kind = "exact" if vocabulary.exact else "estimate"
    yield Check(
        TOPIC,
        "in use",
        f"{f'model {name}{resolved_name}, ' if name else ''}window {budget.window:,}, reserve {budget.reserve:,}, "
        f"tokenizer {vocabulary.name} ({kind})",
    )


def _format_value(value: object) -> str:
    """Return a value as it is written in a file, with passwords and keys masked."""
    if not value and value is not False:
        return "-"
    return mask_secrets(format_value(list(value) if isinstance(value, tuple) else value, longest=1000))
