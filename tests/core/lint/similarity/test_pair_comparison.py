"""Two statements compared by their words, by what they contain, and by the fitted model."""

import pytest

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.similarity.pair_comparison import (
    MIN_SIMILARITY,
    SAME_SIMILARITY,
    SURE_SIMILARITY,
    compare_pair,
)
from ctxkit.core.lint.similarity.similarity import Similarity, compare_statements
from ctxkit.core.lint.similarity.statement_traits import extract_traits


def compare(first: str, second: str) -> tuple[Similarity, Similarity]:
    """Return the similarity of statements in two files, by their words alone and by all means."""
    one, two = (parse_document(path, f"- {text}\n".encode()).units[0] for path, text in (("A", first), ("B", second)))
    traits, texts = (extract_traits(one), extract_traits(two)), (one.normal, two.normal)
    plain = compare_statements(*traits, texts, lambda word: 5.0)
    return plain, compare_pair((one, two), traits, texts, lambda word: 5.0)


def test_the_model_finds_what_similar_words_do_not_prove() -> None:
    plain, similarity = compare(
        "Archive finished reports of the storage team after the monthly audit of the gateway",
        "After the monthly audit of the gateway, archive what the storage team has: its finished reports. The folder is "
        "named by the year, and an index lists the authors of all entries in alphabetical order",
    )
    assert plain.score < SURE_SIMILARITY
    assert similarity.score == SAME_SIMILARITY
    assert not similarity.conflict


def test_a_prefix_is_a_part() -> None:
    assert compare("Run the linter before each commit of a module", "Run the linter before each commit of a module. " + "It reports long functions, and it reports names that nobody can read aloud.")[1].score == SURE_SIMILARITY  # fmt: skip


@pytest.mark.parametrize(("first", "second"), [
    ("Push the release branch to the shared remote on Fridays", "Never push the release branch to the shared remote on Fridays"),
    ("Push the branch to the remote, never the tags", "Do not push the branch to the remote, never the tags"),
    ("Keep sessions for 30 minutes in the cache of the gateway", "Keep sessions for 90 minutes in the cache of the gateway"),
    ("Deploy the gateway to staging", "Deploy the gateway to production"),
])  # fmt: skip
def test_a_conflict_stays_a_conflict(first: str, second: str) -> None:
    plain, similarity = compare(first, second)
    assert plain.conflict
    assert similarity == plain


def test_two_prohibitions_with_their_negations_in_other_places_agree() -> None:
    plain, similarity = compare(
        "Never send report files through the Telegram chat; send report files by email to the owner of the account",
        "Send report files by email to the owner of the account, not through the Telegram chat",
    )
    assert plain.conflict == "negation"
    assert similarity.conflict == ""
    assert similarity.score >= SURE_SIMILARITY


def test_unlike_statements_keep_their_similarity() -> None:
    plain, similarity = compare("Archive finished reports daily", "Ask the storage team for a token")
    assert similarity == plain


def test_similar_statements_that_the_model_finds_improbable_are_possible_duplicates() -> None:
    text = "# Draft 3\n\n- Check: tone and terms\n\n# Draft 5\n\n- Check: tone and the terms of law\n"
    one, two = (unit for unit in parse_document("A", text.encode()).units if unit.kind == "bullet")
    traits, texts = (extract_traits(one), extract_traits(two)), (one.normal, two.normal)
    assert compare_statements(*traits, texts, lambda word: 2.0).score >= SURE_SIMILARITY
    assert compare_pair((one, two), traits, texts, lambda word: 2.0).score == MIN_SIMILARITY
