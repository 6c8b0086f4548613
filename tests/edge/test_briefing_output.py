"""A map is written as text or as an object, with why it was made if that was asked for."""

import json

import pytest

from ctxkit.core.brief import Briefing
from ctxkit.core.brief.kind_detection import Explanation
from ctxkit.core.errors import Exit
from ctxkit.core.gate.briefing_messages import BriefingResult
from ctxkit.core.store.store_interface import StoredContent
from ctxkit.core.text.lines import IndexedLines, LineIndex
from ctxkit.core.tokens.token_count import count_tokens
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.edge.briefing_output import BriefingOutput, SizedBriefing

EXPLANATION = Explanation("mine", (("log", 0.9), ("prose", 0.25)), ("the rule mine matches",))


def read(offset: int, length: int) -> bytes:
    return b""


@pytest.fixture
def write(capfdbinary: pytest.CaptureFixture[bytes]):
    """Write a map, and return the status, stdout and the lines of stderr."""

    def write_map(briefing: Briefing | None, *, as_json: bool = False):
        bytes_ = find_vocabulary("bytes/3")
        result = BriefingResult(briefing, "it does not fit", count_tokens((b"x" * 300,), bytes_, len), 300, 7)
        stored = StoredContent("3f" * 32, "", read, IndexedLines(read, 0, LineIndex().newline_counts, 0))
        output = BriefingOutput(SizedBriefing(result, 50), stored, "it", {"redacted": 2})
        status = output.write(None, lambda _data: pytest.fail("there is no session to charge"), as_json=as_json)
        out, err = capfdbinary.readouterr()
        return status, out, err.decode().splitlines()

    return write_map


def test_the_text_is_written_as_it_is(write) -> None:
    assert write(Briefing("log", "", 0.9, 40, "# it\n")) == (Exit.DONE, b"# it\n", [])


def test_a_map_that_does_not_fit_is_a_no_with_one_line(write) -> None:
    assert write(None) == (Exit.NO, b"", ["ctxkit: a target of 50 tokens is too small for a map of it does not fit"])


def test_an_explanation_is_said_before_the_map(write) -> None:
    status, out, err = write(Briefing("log", "", 0.9, 40, "# it\n", explanation=EXPLANATION))
    assert (status, out) == (Exit.DONE, b"# it\n")
    assert err == [
        "kind: log, confidence 0.90",
        "reason: the rule mine matches",
        "candidates: log 0.90, prose 0.25",
    ]


def test_an_object_has_the_numbers_of_the_source_and_of_the_map(write) -> None:
    value = json.loads(write(Briefing("log", "", 0.904, 40, "# it\n", explanation=EXPLANATION), as_json=True)[1])
    assert (value["kind"], value["confidence"], value["tokens"], value["target"], value["redacted"]) == ("log", 0.9, 40, 50, 2)
    assert (value["bytes"], value["lines"], value["ref"], value["content"]) == (300, 7, "3f" * 8, "# it\n")
    assert value["explanation"]["rule"] == "mine"
    assert value["explanation"]["candidates"][1] == {"kind": "prose", "confidence": 0.25}
    assert "explanation" not in json.loads(write(Briefing("log", "", 0.9, 40, "# it\n"), as_json=True)[1])
