from pathlib import Path

import pytest

from ctxkit.core.tokens.vocabulary import VOCABULARIES
from ctxkit.engines.checkup.vocabularies import _find_failure, checks
from ctxkit.engines.tokens import splintr
from ctxkit.engines.vocabulary_tables import make_table


@pytest.mark.slow
def test_every_vocabulary_counts_and_compiled_ones_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (check,) = checks(str(tmp_path))
    held = sum(splintr.has_encoder(vocabulary.ranks) for vocabulary in VOCABULARIES.values())
    assert held <= 1, "no two tables are held at a time"
    assert check.state == "ok"
    assert all(name in check.value for name in VOCABULARIES)
    monkeypatch.setattr("ctxkit.engines.checkup.vocabularies.VOCABULARIES", {"bytes/3": VOCABULARIES["bytes/3"]})  # once is enough
    make_table(str(tmp_path), "qwen3-1", lambda: [b"a"])
    assert [(check.name, check.value) for check in checks(str(tmp_path))][1:] == [
        ("compiled vocabularies", "qwen3-1: 61 bytes")
    ]


def test_one_that_the_engine_lacks_says_so() -> None:
    lacking = VOCABULARIES["llama3"]._replace(ranks="unheard-of")
    why = _find_failure(lacking)
    assert why is not None
    assert "unheard-of" in why[0]
