"""Items prepared for a page: without duplicates, and only with the forms that keep the rules of a page."""

from collections.abc import Iterable, Iterator, Sequence

from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.limits import MARKUP, bullet_key
from ctxkit.core.context.page_rules import check_section, find_fault
from ctxkit.core.context.sentences import split_sentences
from ctxkit.core.context.template import normalize_line

PIN_SCORE = 9_000
"""Minimum score of an item that is on the page even if the task contains it."""
TODO_SCORE = 800
"""Minimum score of an item of a to-do list among the open ones."""


def deduplicate_items(items: Iterable[PageItem]) -> list[PageItem]:
    """Return items without empty and duplicate ones; the highest score wins."""
    unique: dict[str, PageItem] = {}
    for item in items:
        forms = tuple(dict.fromkeys(form for form in map(normalize_line, _strip_markup(item)) if form))
        for part in _split_item(item._replace(forms=forms)) if forms else ():
            key = f"{part.section == 'Task'} {bullet_key(part.forms[0])}"
            if key not in unique or unique[key].score < part.score:
                unique[key] = part
    return list(unique.values())


def _split_item(item: PageItem) -> Iterator[PageItem]:
    """Yield an item with the forms that keep the rules of a page, otherwise its sentences that keep them.

    A pinned text stays as it is, and so does every sentence that a person wrote into the page.
    """
    if item.score > PIN_SCORE:
        yield item
        return
    item = _place_item(item)
    if forms := tuple(form for form in item.forms if not find_fault(item.section, form)):
        yield item._replace(forms=forms)
        return
    for at, sentence in enumerate(map(normalize_line, split_sentences(item.forms[0]))):
        if sentence and (item.source == "own" or not find_fault(item.section, sentence)):
            yield item._replace(forms=(sentence,), score=item.score - at)
            if item.section == "Task":
                return


def _place_item(item: PageItem) -> PageItem:
    """Return an item with another section if it tells of no error under Errors."""
    is_fact = item.section == "Errors" and item.source != "own" and check_section("Errors", item.forms[0])
    return item._replace(section="Facts") if is_fact else item


def _strip_markup(item: PageItem) -> Sequence[str]:
    """Return the forms of an item that contain no reasoning marks; a task loses only the sentences with marks."""
    if not any(map(MARKUP.search, item.forms)):
        return item.forms
    bare = [form for form in item.forms if not MARKUP.search(form)]
    if bare or item.section != "Task":
        return bare
    return [
        " ".join(sentence for sentence in split_sentences(form) if not MARKUP.search(sentence)) for form in item.forms
    ]


def drop_contained(items: Sequence[PageItem]) -> Iterator[PageItem]:
    """Yield items without the instructions that another open item contains; an item of a to-do list stays."""
    text = "\n".join(item.forms[0] for item in items if item.section == "Pending")
    for item in items:
        is_instruction = item.section == "Pending" and item.score < TODO_SCORE
        if not is_instruction or text.count(strip_stop(item.forms[0])) < 2:
            yield item


def strip_stop(text: str) -> str:
    """Return a text without its full stop."""
    return text if text.endswith("...") else text.rstrip(".。")
