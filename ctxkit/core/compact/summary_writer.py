"""Having the page of a conversation written: by a model where one is named, else from its structure."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ctxkit.core.context.summary_input import Summarizer, SummaryInput
from ctxkit.core.context.template import Extra, SummaryPage, parse_page, render_page

EXTRACT = "extract"
"""The summarizer that needs no model."""


class SummaryResult(NamedTuple):
    """Hold a page, who wrote it, and how many bullets were dropped for which reason."""

    page: SummaryPage
    writer: str = EXTRACT
    dropped: Mapping[str, int] = {}
    fell_back: bool = False


SummaryWriter = Callable[[SummaryInput], SummaryResult]


def make_summary_writer(
    name: str, summarizer: Summarizer | None, warn: Callable[[str], None], *, strict: bool = False
) -> SummaryWriter:
    """Return how pages are written by a summarizer of that name; None is ``extract``.

    Where it fails, ``extract`` writes, and ``warn`` is told; a strict one raises what went wrong.
    """

    def write(summary_input: SummaryInput) -> SummaryResult:
        """Return the page of what a conversation says, checked."""
        if summarizer is None:
            return _write_without_model(summary_input)
        from ctxkit.core.context.page_validation import validate_page

        try:
            validation = validate_page(summarizer(summary_input), summary_input)
        except Exception as error:
            if strict:
                raise
            hint = getattr(error, "hint", "")
            warn(f"the summary is made without a model, because {name} failed: {error}{f' ({hint})' if hint else ''}")
            return _write_without_model(summary_input)._replace(fell_back=True)
        if validation.fell_back:
            warn(f"the summary is made without a model: what {name} wrote is not a summary of this conversation")
        return SummaryResult(
            validation.page, EXTRACT if validation.fell_back else name, validation.dropped, validation.fell_back
        )

    return write


def _write_without_model(summary_input: SummaryInput) -> SummaryResult:
    from ctxkit.core.context.extract import extract

    return SummaryResult(extract(summary_input))


def insert_pins(page: SummaryPage, pins: tuple[str, ...]) -> SummaryPage:
    """Return a page in which all pins occur verbatim: those that do not are put under its decisions."""
    for pin in pins:
        if pin and pin not in render_page(page):
            with_line = page._replace(decisions=(pin, *page.decisions)) if "\n" not in pin else page
            with_section = page._replace(extra=(*page.extra, Extra("Decisions", pin)))
            page = with_line if pin in render_page(with_line) else with_section
    return page


def merge_prior_page(prior_page: str, page: str) -> str:
    """Return the earlier page of a conversation: that of a file, that of a summary, or what both say."""
    first, second = parse_page(page), parse_page(prior_page)
    if first is None or second is None:
        return prior_page if second is not None else page
    from ctxkit.core.context.merge import merge_pages

    return render_page(merge_pages(first, second))
