from ctxkit.core.vocabulary import VOCABULARIES
from ctxkit.engines.checkup.vocabularies import _failure, checks


def test_every_vocabulary_counts():
    (check,) = checks()
    assert check.state == "ok"
    assert all(name in check.value for name in VOCABULARIES)


def test_one_that_the_engine_lacks_says_so():
    lacking = VOCABULARIES["llama3"]._replace(ranks="unheard-of")
    why = _failure(lacking)
    assert why is not None
    assert "unheard-of" in why[0]
