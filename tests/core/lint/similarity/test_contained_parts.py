"""A sentence inside another statement, and one value under two labels."""

import pytest

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.similarity import contained_parts
from ctxkit.core.lint.similarity.contained_parts import (
    NEGATED_KEY,
    find_sentence_pairs,
    find_sentence_paraphrases,
    find_value_pairs,
    split_parts,
)
from ctxkit.core.lint.similarity.statement_traits import make_bag


def same(*statements):
    units = parse_document("A.md", "".join(f"- {statement}\n\n" for statement in statements).encode()).units
    return {unit.normal: [unit] for unit in units}


def pairs(groups):
    return find_sentence_pairs(groups, split_parts(groups))


def paraphrases(groups):
    return find_sentence_paraphrases(groups, split_parts(groups), {key: make_bag(key) for key in groups})


def test_a_sentence_that_is_also_a_statement_is_found() -> None:
    groups = same("Run the linter before each commit.", "Be kind to all. Run the linter before each commit.")
    short, long = groups
    assert list(pairs(groups)) == [(short, long)]


def test_short_sentences_and_negated_statements_are_left_out() -> None:
    assert list(pairs(same("Be kind.", "Be kind. Write all the tests first."))) == []
    groups = same("Run the linter before each commit.", "Be kind to all. Run the linter before each commit.")
    negated = {f"{key}{NEGATED_KEY}": units for key, units in groups.items()}
    assert list(pairs(negated)) == []


def test_one_address_under_two_labels_is_found() -> None:
    groups = same("Docs: https://docs.example.com/guide", "Manual: https://docs.example.com/guide", "Site: https://example.com/other")
    first, second, _ = groups
    assert list(find_value_pairs(groups, frozenset())) == [(first, second)]
    fields = frozenset({("A.md", "docs"), ("A.md", "manual")})
    assert list(find_value_pairs(groups, fields)) == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("- Run src/a.py before each commit.", []),
        ("- One thing. Two things.", ["- One thing.", "Two things.", "One thing."]),
        ("One thing; two things", ["One thing;", "two things"]),
        ("one | two", ["one", "two"]),
        ("\u4e00\u3002\u4e8c\u3002", ["\u4e00\u3002", "\u4e8c\u3002"]),
    ],
)
def test_only_a_statement_of_several_sentences_is_split(text: str, parts: list[str]) -> None:
    assert set(parts) <= set(contained_parts._split_sentences(text))
    assert bool(parts) == bool(contained_parts._split_sentences(text))


def test_a_single_sentence_is_not_searched_for_its_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contained_parts, "find_sentences", lambda text: pytest.fail(f"searched: {text}"))
    assert list(pairs(same(*(f"Run step {number} before src/a.py is changed" for number in range(50))))) == []


def test_a_sentence_with_the_words_of_another_statement_is_a_paraphrase() -> None:
    groups = same("Always tag your notes with scope and context", "Learning is local. I tag my notes with context and scope.")
    short, long = groups
    assert list(paraphrases(groups)) == [(short, long)]
    assert list(pairs(groups)) == []


def test_a_sentence_that_negates_is_no_paraphrase() -> None:
    other = "Learning is local. Never tag notes with context and scope."
    assert list(paraphrases(same("Tag your notes with scope and context", other))) == []


def test_a_part_that_is_too_long_for_a_sentence_is_left_out() -> None:
    long = "word " * (contained_parts.MAX_SENTENCE_LENGTH // 5) + "end"
    groups = same("Be kind to all. Run the linter first.", f"Be kind to all. {long}.")
    assert {sentence for sentence, _ in split_parts(groups)} == {"be kind to all", "run the linter first"}
