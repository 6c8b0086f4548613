import sys
from pathlib import Path

import pytest

from ctxkit.core.tokens.vocabulary import VOCABULARIES
from ctxkit.engines.checkup.libraries import _check_library, _find_failure, check_libraries, check_vocabularies
from ctxkit.engines.tokens import splintr
from ctxkit.engines.vocabulary_tables import make_table


def test_every_library_is_there() -> None:
    found = {check.name: check for check in check_libraries()}
    assert {"splintr-rs", "tiktoken", "tree-sitter", "orjson", "grammars", "SQLite"} <= set(found)
    assert {check.state for check in found.values()} == {"ok"}
    assert found["SQLite"].value.endswith("with FTS5 and WAL")


def test_a_library_that_is_not_there_is_bad_and_how_to_get_it_is_said() -> None:
    check = _check_library("unheard-of", "unheard_of")
    assert (check.state, check.hint) == ("bad", f"{sys.executable} -m pip install --force-reinstall 'unheard-of'")


def test_a_module_without_a_package_of_that_name_still_loads() -> None:
    assert _check_library("unheard-of", "json").state == "ok"


@pytest.mark.slow
def test_every_vocabulary_counts_and_compiled_ones_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (check,) = check_vocabularies(str(tmp_path))
    held = sum(splintr.has_encoder(vocabulary.ranks) for vocabulary in VOCABULARIES.values())
    assert held <= 1, "no two tables are held at a time"
    assert check.state == "ok"
    assert all(name in check.value for name in VOCABULARIES)
    monkeypatch.setattr("ctxkit.engines.checkup.libraries.VOCABULARIES", {"bytes/3": VOCABULARIES["bytes/3"]})  # once is enough
    make_table(str(tmp_path), "qwen3-1", lambda: [b"a"])
    assert [(check.name, check.value) for check in check_vocabularies(str(tmp_path))][1:] == [
        ("compiled vocabularies", "qwen3-1: 61 bytes")
    ]


def test_one_that_the_engine_lacks_says_so() -> None:
    lacking = VOCABULARIES["llama3"]._replace(ranks="unheard-of")
    why = _find_failure(lacking)
    assert why is not None
    assert "unheard-of" in why[0]
