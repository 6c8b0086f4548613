"""Whether a statement says all that a shorter one says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.similarity.containment import is_contained
from ctxkit.core.lint.similarity.form_fields import read_field_label
from ctxkit.core.lint.similarity.similarity import compare_statements
from ctxkit.core.lint.similarity.statement_traits import extract_traits

CONTAINED = [
    ("Lint: `ruff check --fix src`", "Format and lint: `black src` and `ruff check --fix src`"),
    ("**Mode:** quiet review of every changed module with the strict profile",
     "The assistant performs a quiet review of every changed module with the strict profile, and it reports what it "
     "found to the owner of the project in one table with links."),
    ("Call GET /downloads/{slug} to fetch the bundle", "GET /downloads/{slug} - fetch the bundle of a list"),
    ("The auditor writes notes to `log/sprint-N/audit.md`", "On failure, the auditor writes notes to `log/sprint-1/audit.md`"),
    ("Maintains beat state in `memory/beat-state.json`", "**Beat State:** `memory/beat-state.json` for beat tracking"),
    ("Use <answer> tags around JSON of the map in plain text without markdown fences", "Wrap JSON of the map with <answer> tags in plain text without markdown fences"),
]  # fmt: skip
NOT_CONTAINED = [
    ("Run the slow database tests locally", "Run the slow database tests locally only if the schema changed"),
    ("Write parser tests first", "Write the release notes, then the parser, and run its long and expensive tests; the user comes first"),
    ("Tests store fixtures for parser options", "Options parser for fixtures: store tests"),
    ("Search Wikidata for papers on model collapse", "Beyond this list, search for papers on model collapse"),
    ("Integrate with the existing plugin system", "Monitor integration with the existing plugin system"),
]  # fmt: skip


def contained(*statements: str) -> bool:
    first, second = (parse_document("A.md", f"- {statement}\n".encode()).units[0] for statement in statements)
    traits, texts = (extract_traits(first), extract_traits(second)), (first.normal, second.normal)
    similarity = compare_statements(*traits, texts, lambda word: 1.0)
    label = f"{read_field_label(first)} {read_field_label(second)} {traits[0].label} {traits[1].label}".strip()
    return is_contained(similarity, traits, texts, label)


@pytest.mark.parametrize(("shorter", "longer"), CONTAINED)
def test_a_statement_with_all_words_of_a_shorter_one_close_together_contains_it(shorter: str, longer: str) -> None:
    assert contained(shorter, longer)
    assert contained(longer, shorter)


@pytest.mark.parametrize(("shorter", "longer"), NOT_CONTAINED)
def test_a_condition_scattered_words_another_order_and_another_verb_are_something_else(shorter: str, longer: str) -> None:
    assert not contained(shorter, longer)


@given(st.lists(st.sampled_from(["cache", "store", "parser", "window", "ledger", "index", "token", "model"]), min_size=1, unique=True))
def test_a_statement_contains_itself_if_it_has_enough_words(words: list[str]) -> None:
    text = " ".join(words)
    assert contained(text, f"{text} zebra") == (len(set(words)) >= 4)


def test_very_long_statements_are_not_aligned() -> None:
    text = " ".join(f"word{number}x" for number in range(300))
    assert not contained(text, f"{text} more")
