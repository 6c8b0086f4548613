"""Summary writers: write a page with a model if one is named, otherwise extract it from the structure."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ctxkit.core.summary.summary_input import Summarizer, SummaryInput
from ctxkit.core.summary.template import Extra, SummaryPage, parse_page, render_page

EXTRACT = "extract"
"""Name of the summarizer that needs no model."""


class SummaryResult(NamedTuple):
    """A summary page, the name of its writer, and the number of dropped bullets by reason."""

    page: SummaryPage
    writer: str = EXTRACT
    dropped: Mapping[str, int] = {}
    fell_back: bool = False


SummaryWriter = Callable[[SummaryInput], SummaryResult]


def make_summary_writer(
    name: str, summarizer: Summarizer | None, warn: Callable[[str], None], *, strict: bool = False
) -> SummaryWriter:
    """Return a function that writes pages with the named summarizer; None stands for ``extract``.

    If the summarizer fails, the function calls ``warn`` and uses ``extract``; a strict one raises the error.
    """

    def write(summary_input: SummaryInput) -> SummaryResult:
        """Return the validated summary page of a conversation."""
        if summarizer is None:
            return _write_without_model(summary_input)
        from ctxkit.core.summary.page_validation import validate_page

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
    from ctxkit.core.summary.page import extract

    return SummaryResult(extract(summary_input))


def insert_pins(page: SummaryPage, pins: tuple[str, ...]) -> SummaryPage:
    """Return a page that contains all pins verbatim; missing pins become decisions."""
    for pin in pins:
        if pin and pin not in render_page(page):
            with_line = page._replace(decisions=(pin, *page.decisions)) if "\n" not in pin else page
            with_section = page._replace(extra=(*page.extra, Extra("Decisions", pin)))
            page = with_line if pin in render_page(with_line) else with_section
    return page


def merge_prior_page(prior_page: str, page: str) -> str:
    """Return the earlier page of a conversation: from a file, from a summary, or merged from both."""
    first, second = parse_page(page), parse_page(prior_page)
    if first is None or second is None:
        return prior_page if second is not None else page
    from ctxkit.core.summary.merge import merge_pages

    return render_page(merge_pages(first, second))
