"""Pass the sections of a prompt through the gate, so that memory cannot fill the window before the work begins."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ctxkit.core.gate.decision import GatePolicy, GateResult, GateServices
from ctxkit.core.gate.gate_content import gate_content
from ctxkit.core.prompt.sections import PromptSection, order_sections
from ctxkit.core.store.label import Label
from ctxkit.core.tokens.token_count import TokenCount, count_tokens

WHOLE_NAMES = ("base", "rules")
"""Sections that may take all that is left; any other takes at most half of it."""

BETWEEN = 2
"""Tokens of the blank line between two sections, at most."""


class GatedSection(NamedTuple):
    """A section as it enters the window, and the gate's result for its content."""

    section: PromptSection
    result: GateResult
    token_count: TokenCount


def gate_sections(
    sections: Iterable[PromptSection], policy: GatePolicy, services: GateServices
) -> Iterator[GatedSection]:
    """Yield the sections from static to dynamic, each as the gate passes it; skip what the gate refuses.

    What is used before the prompt does not count, and a section counts only those before it. So sections that stay the
    same enter in the same way, whatever changes after them.
    """
    policy = policy._replace(budget=policy.budget.with_used(0))
    for section in order_sections(sections):
        gated = _gate_section(section, policy, services)
        yield gated
        policy = policy._replace(budget=policy.budget.with_added(gated.token_count.high + BETWEEN))


def _gate_section(section: PromptSection, policy: GatePolicy, services: GateServices) -> GatedSection:
    """Return a section as the gate passes it; its content is empty if the gate refuses it."""
    available = policy.budget.available
    limit = available if section.kind in WHOLE_NAMES else available // 2
    policy = policy._replace(
        limit=limit if policy.limit is None else min(limit, policy.limit),
        label=Label(section.name, session=policy.label.session),
        hint=policy.hint._replace(name=section.name),
    )
    result = gate_content((section.content.encode("utf-8", "surrogateescape"),), policy, services)
    data = b"".join(result.content)
    token_count = result.token_count
    if token_count.method == "bound" or token_count.tokens < 0:
        token_count = count_tokens((data,), policy.vocabulary, services.tokenizer(policy.vocabulary))
    content = "" if result.result == "refused" else data.decode("utf-8", "replace")
    return GatedSection(section._replace(content=content), result._replace(content=(data,)), token_count)
