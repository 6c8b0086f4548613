"""Why a kind or a rule made a map."""

import sys
from collections.abc import Iterable
from operator import itemgetter
from pathlib import Path
from subprocess import run as start

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document, kind_detection
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.custom_kinds import KindRule
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kind_detection import Explanation, candidates
from ctxkit.core.brief.kind_index import CLUES
from ctxkit.core.text import lines
from ctxkit.core.text.lines import lines_from_bytes
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from tests.example_counts import count_examples


def document(data: bytes, name: str = "", forced: str = "") -> InputDocument:
    found = lines.lines_from_bytes(data)
    return InputDocument(found, found.read, len, 500, name, forced)


def test_the_kinds_are_the_files_of_their_folder_in_order() -> None:
    names = [kind.__name__.rpartition(".")[2] for kind in kind_detection.all_kinds()]  # type: ignore[attr-defined]
    files = [path.stem for path in Path(kind_detection.kinds.__path__[0]).glob("*.py") if path.stem != "__init__"]  # type: ignore[attr-defined]
    assert names == list(kind_detection.KIND_NAMES) == sorted(files)


def test_no_two_kinds_answer_to_the_same_word() -> None:
    words = [word for kind in kind_detection.all_kinds() for word in {kind.NAME, *kind.TYPES}]
    assert len(words) == len(set(words))
    assert kind_detection.list_content_types() == sorted(set(words))


def test_what_the_user_names_is_certain() -> None:
    for word in kind_detection.list_content_types():
        kind, sure = kind_detection.rank_kinds(document(b'{"a": 1}', "x.json", word))[0]
        assert word in (kind.NAME, *kind.TYPES)
        assert sure == 1.0


def test_an_unknown_name_raises_key_error() -> None:
    with pytest.raises(KeyError):
        kind_detection.find_kind("nothing")


@pytest.mark.parametrize("data", [b"", b"\n", b"just a few words\nof no kind at all\n", b"one"])
def test_what_no_kind_claims_is_text(data: bytes) -> None:
    kind, sure = kind_detection.rank_kinds(document(data))[0]
    assert kind is kind_detection.load_fallback()
    assert sure >= 0.5


@settings(max_examples=count_examples(60), deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text(alphabet='ab{}[]",:=- \n\t#|0.', max_size=200).map(str.encode)))
def test_every_kind_is_sure_from_0_to_1_and_none_fails_on_strange_input(data) -> None:
    for kind in kind_detection.all_kinds():
        assert 0 <= kind.sniff(document(data)) <= 1


LICENCE = "/*\n" + " * Licensed to whom it may concern, under terms that fill the first page.\n" * 40 + " */\n"
JAVA = """package org.example;

import java.util.List;
import java.util.Map;

public class Gate {
    private final Map<String, Integer> held = new HashMap<>();

    public int size() {
        return held.size();
    }

    public void put(String key, int value) {
        if (value > 0) {
            held.put(key, value);
        }
    }
}
"""
CODE = """def held(path):
    return os.path.exists(path)


@cache
class Gate:
    def __init__(self, path):
        self.path = path
        self.open = False

    def swing(self):
        if self.open:
            return None
        self.open = True
        return self.path
"""
README = """<p align="center">
  <img src="logo.png">
</p>
<h1 align="center">Gate</h1>

A tool that **lets** content in.

## Installation

- `pip install gate`
- read [this](x.md)

## Usage

Run **it**.
"""
LOG = "".join(f"2026-03-01T10:15:{at:02} INFO item {at} done\n" for at in range(60))
COMMANDS = "gate controls the gate.\n\nBasic Commands:\n" + "".join(
    f"  {word:<12}  Do what {word} does\n" for word in ["open", "close", "list", "show", "move", "copy", "drop", "help"]
)
RAGGED = "version,codename,series,created,eol\n" + "".join(f"{at},Name{at},name{at}{',2020-01-01' * (at % 3)}\n" for at in range(9))
SENTENCES = "id,question,answer\n" + "".join(f'{at},"Why is it so, and when?","Because it is, at times."\n' for at in range(20))
STACKED = "".join(f"nova-api.log.1.2017-05-16_13:53:08 2017-05-16 00:00:{at:02}.008 25746 INFO nova served {at}\n" for at in range(40))
SYSLOG = "".join(f"<165>1 2003-08-24T05:14:{at:02}.000003-07:00 host proc 8710 - - said {at}\n" for at in range(9))
QUOTED = JAVA.replace("package", "// a sample\npackage") + "/*\n" + LOG + "*/\n"


@pytest.mark.parametrize(
    ("text", "name", "wanted"),
    [
        (LICENCE + JAVA, "", "source"),
        (QUOTED, "", "source"),
        ("import os\n\n# How many there may be\n\nMOST = 9\n\n" + CODE, "", "source"),
        (README, "", "text"),
        (COMMANDS, "", "text"),
        (RAGGED, "", "csv"),
        (RAGGED, "a.csv", "csv"),
        (SENTENCES, "", "csv"),
        (STACKED, "", "log"),
        (SYSLOG, "", "log"),
        ("<!DOCTYPE html>\n<html><body><pre>\n" + LOG + "</pre></body></html>\n", "", "html"),
        ("x" * 20_000 + "\n" + "worker took 4675 ms\n" * 2_000, "", "text"),
    ],
)
def test_what_looks_like_another_kind_is_told_apart(text, name: str, wanted: str) -> None:
    assert wanted == kind_detection.rank_kinds(document(text.encode(), name))[0][0].NAME


def test_text_of_an_8_bit_encoding_is_not_binary() -> None:
    page = "<html><body>" + "<p>\u05e9\u05dc\u05d5\u05dd</p>\n" * 90 + "</body></html>\n"
    assert kind_detection.rank_kinds(document(page.encode("iso-8859-8")))[0][0].NAME == "html"


LOG_PREFILTERS = "".join(f"2026-03-01 10:{at // 60:02}:{at % 60:02} INFO item {at} done\n" for at in range(90))
PYTEST = (
    "============ test session starts ============\ncollected 2 items\n\n"
    "=========== short test summary info ===========\nFAILED a.py::test - x\n===== 1 failed, 1 passed in 0.1s =====\n"
)
SAMPLES = {
    "log": LOG_PREFILTERS,
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


def document_prefilters(text: str) -> InputDocument:
    held = lines.lines_from_bytes(text.encode())
    return InputDocument(held, held.read, len, 500)


@pytest.mark.parametrize("name", SAMPLES)
def test_no_clue_hides_the_kind_that_is_surest(name: str) -> None:
    held = document_prefilters(SAMPLES[name])
    surest = max(kind_detection.all_kinds(), key=lambda kind: kind.sniff(held))
    assert surest.__name__.endswith(f".{name}")  # type: ignore[attr-defined]
    assert kind_detection.rank_kinds(held)[0][0] is surest


def test_what_has_no_clue_is_always_asked_and_the_rest_is_not() -> None:
    asked = list(candidates(["pytest", "log", "json"], document_prefilters("only some words\n"), is_log=False))
    assert asked == ["log"]


def test_what_is_plainly_a_log_is_no_source_but_may_be_what_a_ci_service_kept() -> None:
    names = ["source", "pytest"]
    assert list(candidates(names, document_prefilters(LOG_PREFILTERS), is_log=True)) == []
    kept = "".join(f"2026-03-01T10:15:00.1234567Z {row}\n" for row in PYTEST.split("\n"))
    assert list(candidates(names, document_prefilters(kept), is_log=True)) == names


def test_a_log_is_told_without_the_import_of_any_runner() -> None:
    script = (
        "import sys\nfrom ctxkit.core.text import lines\nfrom ctxkit.core.brief import kind_detection\n"
        "from ctxkit.core.brief.document import InputDocument\n"
        f"held = lines.lines_from_bytes({LOG_PREFILTERS.encode()!r})\n"
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
    check_candidates(document_prefilters(between.join(parts)))


INPUTS = sorted(path for path in (Path(__file__).parents[2] / "cases").rglob("*") if path.is_file() and path.stem == "input")


@pytest.mark.quick_cases(20)
@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.parent.name)
def test_no_clue_hides_a_kind_of_an_input(path: Path) -> None:
    data = path.read_bytes()
    held = lines.lines_from_bytes(data)
    for name in ("", path.name, "Cargo.lock", "npm-shrinkwrap.json", "a.yml"):
        check_candidates(InputDocument(held, held.read, len, 500, name))


CSV = "name,size\nfirst,1\nsecond,2\n" * 20


def explain(text: str, name: str = "", content_type: str = "", rule: KindRule | None = None) -> Explanation:
    data = text.encode()
    lines = lines_from_bytes(data)
    document = InputDocument(lines, lambda at, size: data[at : at + size], len, 9_000, name, content_type)
    frame = BriefingFrame(name, lines.total, len(data), 1, True, Hint(PRESETS["sed"]))
    briefing = brief_document(document, frame, rule, explain=True)
    assert briefing is not None
    assert briefing.explanation is not None
    return briefing.explanation


def test_the_kind_with_the_highest_score_is_named_first() -> None:
    explanation = explain(CSV, "a.csv")
    assert explanation.candidates[0][0] == "csv"
    assert explanation.reasons[0].startswith("csv scores highest of ")


def test_a_type_of_the_caller_is_the_reason() -> None:
    assert explain(CSV, "a.csv", "text").reasons == ("--type names text",)


def test_a_rule_is_named_with_the_type_that_it_sets() -> None:
    rule = KindRule("deploy", ("*",), "log")
    explanation = explain("one line\n" * 9, "x", "log", rule)
    assert explanation.rule == "deploy"
    assert explanation.reasons[0] == "the rule deploy of your settings matches the name and sets the type log"


def test_a_kind_that_gives_up_is_named() -> None:
    reasons = explain("plain words here\n" * 9, "x", "diff").reasons
    assert reasons[-1] == "diff found nothing to outline, so the text kind speaks"


def test_no_explanation_is_made_unless_asked_for() -> None:
    data = CSV.encode()
    lines = lines_from_bytes(data)
    document = InputDocument(lines, lambda at, size: data[at : at + size], len, 9_000, "a.csv")
    briefing = brief_document(document, BriefingFrame("a.csv", lines.total, len(data), 1, True, Hint(PRESETS["sed"])))
    assert briefing is not None
    assert briefing.explanation is None
