"""Sections through the gate: memory cannot eat the window."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.document import parse_nothing
from ctxkit.core.gate.decision import GatePolicy, GateServices
from ctxkit.core.prompt.builder import build_prompt
from ctxkit.core.prompt.gated_sections import GatedSection, gate_sections
from ctxkit.core.prompt.sections import PromptSection
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.text.worker_interface import call_directly
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.vocabulary import find_vocabulary
from tests.core.gate.test_replacement import MemoryStore, tokenizer
from tests.core.prompt.section_names import SECTION_NAMES
from tests.example_counts import count_examples

MEMORY = "".join(f"- Fact {number} of the project is remembered.\n" for number in range(2000))


def gate(sections: list[PromptSection], window: int, store: MemoryStore | None = None) -> list[GatedSection]:
    store = store or MemoryStore()
    policy = GatePolicy(Budget(window, 0, 300), find_vocabulary("bytes/3"), Hint(PRESETS["ctxkit"]))
    return list(gate_sections(sections, policy, GateServices(tokenizer, lambda: store, parse_nothing, call_directly)))  # type: ignore[return-value]


def test_memory_cannot_eat_the_window() -> None:
    """Seed 000: "prevents the scenario where memory injection eats the entire budget"."""
    store = MemoryStore()
    base, memory, status = gate(
        [PromptSection("memories", MEMORY), PromptSection("status", "ok"), PromptSection("base", "Be careful.")],
        4000,
        store,
    )
    assert (base.section.content, status.section.content) == ("Be careful.", "ok")
    assert memory.result.result == "briefing"
    assert memory.token_count.high <= 2000
    assert store.held == {memory.result.ref: MEMORY.encode()}


def test_memory_that_fits_takes_at_most_half_of_what_is_left() -> None:
    text = "x" * 6_300
    assert gate([PromptSection("memories", text)], 4000)[0].result.result == "briefing"
    assert gate([PromptSection("rules", text)], 4000)[0].result.result == "raw"
    assert gate([PromptSection("memories", text)], 5000)[0].section.content == text


@pytest.mark.slow
def test_the_same_static_sections_enter_in_the_same_way() -> None:
    static = [PromptSection("base", "Be careful."), PromptSection("memories", MEMORY)]
    texts = {
        build_prompt(item.section for item in gate([*static, PromptSection("status", "y" * size)], 4000)).static_text
        for size in (1, 100, 5000)
    }
    assert len(texts) == 1


@pytest.mark.slow
@settings(max_examples=count_examples(20))
@given(
    st.lists(st.tuples(st.sampled_from(SECTION_NAMES), st.sampled_from([1, 900, len(MEMORY)])), max_size=6), st.integers(50, 5000)
)
def test_the_prompt_never_exceeds_the_window(sizes: list[tuple[str, int]], window: int) -> None:
    sections = [PromptSection(name, MEMORY[:size]) for name, size in sizes]
    prompt = build_prompt(item.section for item in gate(sections, window))
    assert tokenizer(find_vocabulary("bytes/3"))(prompt.text) <= window
