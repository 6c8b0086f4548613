"""Why a kind or a rule made a map."""

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.custom_kinds import KindRule
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.explanation import Explanation
from ctxkit.core.text.lines import lines_from_bytes
from ctxkit.core.text.retrieval_hint import PRESETS, Hint

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
