import sys
from collections.abc import Iterable
from operator import itemgetter
from pathlib import Path
from subprocess import run as start

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import kind_detection
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kind_index import CLUES
from ctxkit.core.brief.prefilters import candidates
from ctxkit.core.text import lines
from tests.example_counts import count_examples

LOG = "".join(f"2026-03-01 10:{at // 60:02}:{at % 60:02} INFO item {at} done\n" for at in range(90))
PYTEST = (
    "============ test session starts ============\ncollected 2 items\n\n"
    "=========== short test summary info ===========\nFAILED a.py::test - x\n===== 1 failed, 1 passed in 0.1s =====\n"
)
SAMPLES = {
    "log": LOG,
    "pytest": PYTEST,
    "go_test": "--- FAIL: TestA (0.00s)\n    a_test.go:3: no\nFAIL\nFAIL\tx/y\t0.01s\n",
    "cargo_test": "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n",
    "unittest": "F\nRan 1 test in 0.001s\n\nFAILED (failures=1)\n",
    "tap": "TAP version 13\nok 1 - a\nnot ok 2 - b\n",
    "rspec": "Failures:\n\n1 example, 1 failure\n",
    "jest": "FAIL a/b.test.js\nTests:       1 failed, 1 total\n",
    "diff": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
    "json": '{"a": [1, 2, {"b": null}], "c": "d", "e": {"f": [true, false]}}\n',
    "jsonl": '{"a": 1}\n{"a": 2}\n{"a": 3}\n',
    "csv": "a,b,c\n1,2,3\n4,5,6\n7,8,9\n",
    "html": "<!DOCTYPE html><html><body><p>x</p></body></html>\n",
    "junit_xml": '<testsuites><testsuite name="a"><testcase name="b"/></testsuite></testsuites>\n',
    "history": "commit " + "a" * 40 + "\nAuthor: A <a@b.c>\nDate:   Mon Jan 1 00:00:00 2024 +0000\n\n    first\n",
}


def document(text: str) -> InputDocument:
    held = lines.lines_from_bytes(text.encode())
    return InputDocument(held, held.read, len, 500)


@pytest.mark.parametrize("name", SAMPLES)
def test_no_clue_hides_the_kind_that_is_surest(name: str) -> None:
    held = document(SAMPLES[name])
    surest = max(kind_detection.all_kinds(), key=lambda kind: kind.sniff(held))
    assert surest.__name__.endswith(f".{name}")  # type: ignore[attr-defined]
    assert kind_detection.rank_kinds(held)[0][0] is surest


def test_what_has_no_clue_is_always_asked_and_the_rest_is_not() -> None:
    asked = list(candidates(["pytest", "log", "json"], document("only some words\n"), is_log=False))
    assert asked == ["log"]


def test_what_is_plainly_a_log_is_no_source_but_may_be_what_a_ci_service_kept() -> None:
    names = ["source", "pytest"]
    assert list(candidates(names, document(LOG), is_log=True)) == []
    kept = "".join(f"2026-03-01T10:15:00.1234567Z {row}\n" for row in PYTEST.split("\n"))
    assert list(candidates(names, document(kept), is_log=True)) == names


def test_a_log_is_told_without_the_import_of_any_runner() -> None:
    script = (
        "import sys\nfrom ctxkit.core.text import lines\nfrom ctxkit.core.brief import kind_detection\n"
        "from ctxkit.core.brief.document import InputDocument\n"
        f"held = lines.lines_from_bytes({LOG.encode()!r})\n"
        "assert kind_detection.rank_kinds(InputDocument(held, held.read, len, 500))[0][0].NAME == 'log'\n"
        "loaded = {n.rpartition('.')[2] for n in sys.modules if n.startswith('ctxkit.core.brief.kinds.')}\n"
        "assert not loaded & {'pytest', 'source', 'table', 'json', 'html'}, loaded\n"
    )
    assert start([sys.executable, "-c", script], check=False).returncode == 0


WORDS = sorted({word for clues in CLUES.values() for word in (*clues.words, *clues.first_characters)})
ROWS = st.sampled_from([row for text in SAMPLES.values() for row in text.split("\n")])


def find_surest(held: InputDocument, names: Iterable[str]) -> tuple[float, str]:
    """Return the highest score of some kinds, and the first kind that has it."""
    kinds = dict(zip(kind_detection.KIND_NAMES, kind_detection.all_kinds(), strict=True))
    return max(((kinds[name].sniff(held), name) for name in names), key=itemgetter(0), default=(0.0, ""))


def check_candidates(held: InputDocument) -> None:
    """Compare the surest of all kinds with the surest of those that have a clue."""
    names = [name for name in kind_detection.KIND_NAMES if name != "text"]
    assert find_surest(held, names) == find_surest(held, candidates(names, held, is_log=False))


@settings(max_examples=count_examples(40), deadline=None)
@given(st.lists(st.sampled_from(WORDS) | ROWS | st.text(max_size=9), max_size=12), st.sampled_from("\n "))
def test_no_clue_hides_the_kind_of_mixed_content(parts: list[str], between: str) -> None:
    check_candidates(document(between.join(parts)))


INPUTS = sorted(path for path in (Path(__file__).parents[2] / "cases").rglob("*") if path.is_file() and path.stem == "input")


@pytest.mark.quick_cases(20)
@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.parent.name)
def test_no_clue_hides_a_kind_of_an_input(path: Path) -> None:
    data = path.read_bytes()
    held = lines.lines_from_bytes(data)
    for name in ("", path.name, "Cargo.lock", "npm-shrinkwrap.json", "a.yml"):
        check_candidates(InputDocument(held, held.read, len, 500, name))
