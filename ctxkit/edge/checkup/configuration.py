"""Every setting with its value and where it comes from, and what they come to."""

from collections.abc import Iterator, Mapping

from ctxkit.core import models
from ctxkit.core.checkup import Check
from ctxkit.core.escapes import escape_line
from ctxkit.core.masking import mask_secrets
from ctxkit.core.shell import quoted
from ctxkit.core.trouble import Trouble
from ctxkit.edge.keys import shown
from ctxkit.edge.request import Request
from ctxkit.edge.settings import KEYS, OF_MODEL, Settings

TOPIC = "settings"
ALSO = ("CTXKIT_DEBUG",)
"""Variables that are no settings."""


def checks(settings: Settings, wrong: list[Trouble], environ: Mapping[str, str]) -> Iterator[Check]:
    """Yield what the settings come to, those that cannot be understood, and each that can."""
    for trouble in wrong:
        where, _, what = str(trouble).partition(": ")
        said = mask_secrets(f"{where}: {what}")
        yield Check(TOPIC, "wrong", said, "bad", trouble.hint or "correct it or take it out")
    yield from _misspelled(environ)
    yield from _ignored(settings)
    yield from _in_force(settings)
    for key in KEYS:
        value, source = settings.of(key)
        yield Check(TOPIC, key, f"{_shown(value)}  ({source})")
    for name in settings.models():
        for key in OF_MODEL:
            found = settings.of_model(name, key)
            if found:
                yield Check(TOPIC, f"models.{name}.{key}", f"{_shown(found.value)}  ({found.source})")


def _ignored(settings: Settings) -> Iterator[Check]:
    """Yield what a project's file says and does not hold, and the files that were not read."""
    for path in settings.project.foreign:
        hint = "settings are read only from files of yours or root's"
        yield Check(TOPIC, "not read", f"{escape_line(path)}: belongs to another user", "absent", hint)
    for each in settings.project.ignored:
        why = f"a project may give only {each.words}" if each.words else "a project may not set it"
        hint = f"ctxkit trust {quoted(settings.project.directory)} lets it hold"
        if each.is_for_user_file():
            hint = "only the user's own file may say it"
        said = f"{escape_line(each.source)}: {escape_line(each.key)} = {shown(each.value)}: {why}"
        yield Check(TOPIC, "ignored", said, "absent", hint)


def _misspelled(environ: Mapping[str, str]) -> Iterator[Check]:
    """Yield the variables that look like settings and are none: nothing else would ever name them."""
    from difflib import get_close_matches

    known = [*(f"CTXKIT_{key.upper()}" for key, key_of in KEYS.items() if not key_of.user_file_only), *ALSO]
    for name in sorted(environ):
        if name.startswith("CTXKIT_") and name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else "ctxkit reads no such variable"
            yield Check(TOPIC, name, "unknown variable", "bad", hint)


def _in_force(settings: Settings) -> Iterator[Check]:
    """Yield the budget that a command without options has, or why it has none."""
    asked = Request()
    name = asked.model_name(settings)
    if not name and not settings.window().value:
        hint = "set CTXKIT_MODEL or CTXKIT_WINDOW, or give --model or --window each time"
        yield Check(TOPIC, "in force", "no model and no window", "absent", hint)
        return
    try:
        budget, vocabulary = asked.budget(settings), asked.vocabulary(settings)
    except Trouble as trouble:
        yield Check(TOPIC, "in force", mask_secrets(str(trouble)), "bad", trouble.hint)
        return
    known = models.model_of(name) if name else None
    means = f" ({known.name})" if known and known.name != name else ""
    kind = "exact" if vocabulary.exact else "estimate"
    yield Check(
        TOPIC,
        "in force",
        f"{f'model {name}{means}, ' if name else ''}window {budget.window:,}, reserve {budget.reserve:,}, "
        f"tokenizer {vocabulary.name} ({kind})",
    )


def _shown(value: object) -> str:
    """Return a value as it is written in a file; passwords and keys are not shown."""
    if not value and value is not False:
        return "-"
    return mask_secrets(shown(list(value) if isinstance(value, tuple) else value, longest=1000))
