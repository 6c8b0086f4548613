import sys

from ctxkit.engines.checkup.libraries import _check_library, checks


def test_every_library_is_there() -> None:
    found = {check.name: check for check in checks()}
    assert {"splintr-rs", "tiktoken", "tree-sitter", "orjson", "grammars", "SQLite"} <= set(found)
    assert {check.state for check in found.values()} == {"ok"}
    assert found["SQLite"].value.endswith("with FTS5 and WAL")


def test_a_library_that_is_not_there_is_bad_and_how_to_get_it_is_said() -> None:
    check = _check_library("unheard-of", "unheard_of")
    assert (check.state, check.hint) == ("bad", f"{sys.executable} -m pip install --force-reinstall 'unheard-of'")


def test_a_module_without_a_package_of_that_name_still_loads() -> None:
    assert _check_library("unheard-of", "json").state == "ok"
