"""The order of sections: static to dynamic, stable inside a class."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.prompt.sections import PromptSection, order_sections
from tests.core.prompt.section_names import SECTION_NAMES

NAMES = st.sampled_from([*SECTION_NAMES, "tools", "persona"])
SECTIONS = st.lists(st.builds(PromptSection, NAMES, st.sampled_from("abc"), st.sampled_from([None, True, False])))


def test_the_sections_of_the_seed_are_in_its_order() -> None:
    """Seed 001, "Section ordering (static → dynamic)"; seed 003: CONTEXT.md "as its own system prompt section"."""
    table = [
        ("Base system instructions", "base"),
        ("AGENT.md", "rules"),
        ("memories", "memories"),
        ("CONTEXT.md", "context"),
        ("skills", "skills"),
        ("Scratchpad notes", "scratchpad"),
        ("Context usage status", "status"),
    ]
    sections = [PromptSection(name, "text") for name, _ in reversed(table)]
    assert [section.kind for section in order_sections(sections)] == [kind for _, kind in table] == [*SECTION_NAMES]


def test_sections_with_other_names_go_where_they_say() -> None:
    sections = [
        PromptSection("status", "x"), PromptSection("notes", "x"), PromptSection("persona", "x", cacheable=True),
        PromptSection("base", "x"), PromptSection("rules", "x", cacheable=False), PromptSection("skills", "x"),
    ]  # fmt: skip
    assert [section.name for section in order_sections(sections)] == [
        "base", "persona", "skills", "rules", "notes", "status",
    ]  # fmt: skip


def test_empty_sections_are_left_out() -> None:
    assert order_sections([PromptSection("base", " \n")]) == []


@given(SECTIONS)
def test_static_sections_come_first_and_classes_are_stable(sections: list[PromptSection]) -> None:
    ordered = order_sections(sections)
    static = [section.is_static for section in ordered]
    assert static == sorted(static, reverse=True)
    for kind in SECTION_NAMES:
        of_kind = [section for section in ordered if section.kind == kind and section.cacheable is None]
        assert of_kind == [section for section in sections if section.kind == kind and section.cacheable is None]
