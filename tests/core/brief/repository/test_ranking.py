"""Which definitions count, by the files that use them."""

import pytest

from ctxkit.core.brief.repository.file_scan import scan_file
from ctxkit.core.brief.repository.ranking import rank_symbols
from ctxkit.engines.syntax import find_definitions


def rank(**sources: str) -> dict[str, float]:
    """Return the scores of definitions by file and name; ``__`` in a name is a slash."""
    texts = {name.replace("__", "/").replace("_py", ".py").replace("_mk", ".mk"): text for name, text in sources.items()}
    files = [scan_file(path, text.encode(), find_definitions) for path, text in sorted(texts.items())]
    ranking = rank_symbols(files)
    return {f"{files[ranked.file].path} {ranked.symbol.name}": ranked.score for ranked in ranking.symbols}


def test_a_definition_counts_once_for_each_other_file_that_uses_it() -> None:
    scores = rank(
        core_py="def make_cake(): make_cake()\ndef unused_thing(): pass\n",
        a_py="from core import make_cake\nmake_cake(); make_cake()\n",
        b_py="from core import make_cake\nmake_cake()\n",
    )
    assert scores["core.py make_cake"] == pytest.approx(2)
    assert scores["core.py unused_thing"] == 0


def test_of_two_files_that_define_a_name_the_one_that_is_imported_counts() -> None:
    scores = rank(one_py="def load_all(): pass\n", two_py="def load_all(): pass\n", a_py="import two\ntwo.load_all()\n")
    assert scores["two.py load_all"] == pytest.approx(1)
    assert scores["one.py load_all"] == 0


def test_a_plain_word_that_no_import_names_counts_little() -> None:
    scores = rank(core_py="def text(): pass\ndef make_text(): pass\n", a_py="text = make_text()\n")
    assert 0 < scores["core.py text"] < scores["core.py make_text"] < 1


def test_a_common_member_counts_only_with_its_owner() -> None:
    source = "class Box:\n    def get(self): pass\n"
    alone, owned = rank(core_py=source, a_py="{}.get(1)\n"), rank(core_py=source, a_py="Box().get(1)\n")
    assert alone["core.py get"] < 0.1 < 0.9 < owned["core.py get"]


def test_a_use_in_a_test_counts_less_and_in_another_language_nothing() -> None:
    scores = rank(core_py="def make_cake(): pass\n", tests__a_py="from core import make_cake\n", b_mk="make_cake:\n\ttrue\n")
    assert 0 < scores["core.py make_cake"] < 1
    assert scores["b.mk make_cake"] == 0


def test_shares_add_up_and_the_file_that_others_use_has_the_largest() -> None:
    files = [
        scan_file(path, text.encode(), find_definitions)
        for path, text in (("a.py", "import core\nmake_cake()"), ("b.py", "make_cake()"), ("core.py", "def make_cake(): 1"))
    ]
    shares = rank_symbols(files).shares
    assert sum(shares) == pytest.approx(1)
    assert max(shares) == shares[2]


def test_nothing_has_no_ranking() -> None:
    assert rank_symbols([]) == ([], [])


def test_files_of_go_in_one_directory_need_no_import() -> None:
    sources = {"a/box.go": "package a\ntype Box struct {\n}\n", "a/use.go": "package a\nvar b Box\n", "b/c.go": "package b\nvar b Box\n"}
    files = [scan_file(path, text.encode(), find_definitions) for path, text in sources.items()]
    assert [ranked.score for ranked in rank_symbols(files).symbols if ranked.symbol.name == "Box"] == [pytest.approx(1.4)]
