"""The rules of a page, by the checker that ctxkit itself checks a page with before it is written."""

from ctxkit.core.context.page_rules import find_rule_breaches
from ctxkit.core.context.template import parse_page


def rule_breaches(text: str) -> list[str]:
    """Return the breaches of a page that is read from its text, one line each."""
    page = parse_page(text)
    return list(map(str, find_rule_breaches(page))) if page else ["the page has no heading of the template"]
