"""Having the page of a conversation written: by a model where one is named, else from its structure."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ctxkit.core.context.matter import Matter, Summarizer
from ctxkit.core.context.template import Context, Extra, parse, render

EXTRACT = "extract"
"""The summarizer that needs no model."""


class Written(NamedTuple):
    """Hold a page, who wrote it, and how many bullets were dropped for which reason."""

    context: Context
    writer: str = EXTRACT
    dropped: Mapping[str, int] = {}
    fell_back: bool = False


Write = Callable[[Matter], Written]


def writing(name: str, summarizer: Summarizer | None, warn: Callable[[str], None], *, strict: bool = False) -> Write:
    """Return how pages are written by a summarizer of that name; None is ``extract``.

    Where it fails, ``extract`` writes, and ``warn`` is told; a strict one raises what went wrong.
    """

    def write(matter: Matter) -> Written:
        """Return the page of what a conversation says, checked."""
        if summarizer is None:
            return _extracted(matter)
        from ctxkit.core.context.checked import checked

        try:
            made = checked(summarizer(matter), matter)
        except Exception as error:
            if strict:
                raise
            hint = getattr(error, "hint", "")
            warn(f"the summary is made without a model, as {name} failed: {error}{f' ({hint})' if hint else ''}")
            return _extracted(matter)._replace(fell_back=True)
        if made.fell_back:
            warn(f"the summary is made without a model: what {name} wrote is no page of this conversation")
        return Written(made.context, EXTRACT if made.fell_back else name, made.dropped, made.fell_back)

    return write


def _extracted(matter: Matter) -> Written:
    from ctxkit.core.context.extract import extract

    return Written(extract(matter))


def pinned(context: Context, pins: tuple[str, ...]) -> Context:
    """Return a page in which all pins occur verbatim: those that do not are put under its decisions."""
    for pin in pins:
        if pin and pin not in render(context):
            line = context._replace(decisions=(pin, *context.decisions)) if "\n" not in pin else context
            whole = context._replace(extra=(*context.extra, Extra("Decisions", pin)))
            context = line if pin in render(line) else whole
    return context


def continued(memo: str, page: str) -> str:
    """Return the earlier page of a conversation: that of a file, that of a summary, or what both say."""
    first, second = parse(page), parse(memo)
    if first is None or second is None:
        return memo if second is not None else page
    from ctxkit.core.context.merge import merge

    return render(merge(first, second))
