from ctxkit.core.tokens.vocabulary import VOCABULARIES
from ctxkit.engines.checkup.vocabularies import _find_failure, checks
from ctxkit.engines.tokens import splintr


def test_every_vocabulary_counts() -> None:
    (check,) = checks()
    assert check.state == "ok"
    assert all(name in check.value for name in VOCABULARIES)


def test_one_that_the_engine_lacks_says_so() -> None:
    lacking = VOCABULARIES["llama3"]._replace(ranks="unheard-of")
    why = _find_failure(lacking)
    assert why is not None
    assert "unheard-of" in why[0]


def test_no_two_tables_are_held_at_a_time() -> None:
    list(checks())
    assert splintr.load_encoder.cache_info().currsize <= 1
