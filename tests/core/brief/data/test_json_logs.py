"""Forms of log lines are sorted into sections, the worst first."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.data.json_logs import (
    RARE,
    _format_row,
    build_json_log_outlines,
    format_index_title,
    is_log,
    make_index,
    make_section,
    make_section_layouts,
)
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.logs.templates import NORMAL, Template, TemplateCounter
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import Hint
from tests.core.brief.kinds.test_table import document as as_table


def rows(many: int = 300, **more: object) -> list[str]:
    made = []
    for at in range(many):
        level, said = "info", f"request {at} took {at * 3} ms"
        if at == 120:
            level, said = "error", 'no route to "blue" shard'
        if at == 200:
            said = "leader elected anew"
        made.append(
            json.dumps({"time": f"2026-03-01T10:{at // 60:02}:{at % 60:02}Z", "level": level, "msg": said, **more})
        )
    return made


def document(text: str, target: int = 600) -> InputDocument:
    held = lines.lines_from_bytes(text.encode())
    return InputDocument(held, held.read, lambda said: len(said) // 3, target)


def mapped(text: str) -> str:
    held = document(text)
    made = brief_document(held, BriefingFrame("log", held.lines.total, held.lines.size, 0, True, Hint("{start}:{end}")))
    assert made is not None
    assert made.kind == "jsonl"
    return made.text


def test_errors_and_rare_messages_are_quoted_with_their_lines() -> None:
    text = mapped("\n".join(rows()) + "\n")
    assert '- 121: no route to \\"blue\\" shard' in text
    assert "- 201: leader elected anew" in text
    assert "298x, such as" in text
    assert "by level: ERROR 1, INFO 299" in text
    assert "- Lines 1-300: 2026-03-01T10:00:00Z to 2026-03-01T10:04:59Z" in text
    assert "keys of the first row: time, level, msg" in text


@pytest.mark.parametrize(("number", "name"), [(50, "ERROR"), (60, "FATAL"), (3, "ERROR")])
def test_levels_may_be_numbers(number: int, name: str) -> None:
    text = mapped("\n".join(row.replace('"error"', str(number)) for row in rows()) + "\n")
    assert f"by level: {name} 1, INFO 299" in text


def test_what_has_no_time_or_no_message_is_no_log() -> None:
    assert is_log(rows(20))
    assert not is_log([row.replace('"time"', '"id"') for row in rows(20)])
    assert not is_log([row.replace('"msg"', '"value"') for row in rows(20)])
    assert not is_log(['{"type": "user", "message": {"role": "user"}, "timestamp": "2026-03-01T10:00:00Z"}'] * 20)
    assert build_json_log_outlines(document('{"a": 1}\n' * 20)) is None


def test_every_quotation_stands_in_its_row() -> None:
    held = document("\n".join([*rows(), "not JSON at all"]) + "\n")
    for outline in build_json_log_outlines(held) or []:
        waiting = [entry for section in outline.sections for entry in section.entries]
        for entry in waiting:
            waiting.extend(entry.children)
            if entry.verbatim:
                assert entry.label.partition(" [+")[0] in held.lines.at(entry.start)


def test_a_message_wins_over_an_event() -> None:
    assert _format_row('{"event": "login", "level": "info", "message": "user 7 came"}') == "INFO user 7 came"
    assert _format_row('{"event": "user 7 came", "level": "info"}') == "INFO user 7 came"


LINES = ["ERROR db gone"] + ["WARN slow"] * 2 + ["INFO tick 1"] * 40 + ["INFO started"]


def forms(lines=LINES):
    counter = TemplateCounter()
    counter.add_lines("\n".join(lines), list(lines), 1)
    return list(counter.iter_templates())


def test_errors_stand_before_warnings_and_rare_lines_before_frequent_ones() -> None:
    sections = next(make_section_layouts(forms(), as_table("\n".join(LINES))))
    titles = [section.title.partition(":")[0] for section in sections if section.entries]
    assert titles == ["Errors and worse", "Warnings", f"Rare (at most {RARE}x)", "Frequent"]


def test_a_section_counts_its_forms_and_its_lines() -> None:
    section = make_section("Frequent", [form for form in forms() if form.count > RARE], [5], 9)
    assert section.title == "Frequent: 1 form, 40 lines"
    (entry,) = section.entries
    assert (entry.label, entry.start, entry.end) == ("40x, such as", 4, 43)
    assert entry.children[0].label == "INFO tick 1"


def test_an_index_replaces_rare_lines_that_take_too_much_space() -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    lines = [f"{first} {second} happened once in this long line of the log" for first in words for second in words]
    layouts = list(make_section_layouts(forms(lines), as_table("\n".join(lines), 300)))
    assert len(layouts) == 2
    assert format_index_title(forms(lines)).startswith(f"Rare (at most {RARE}x), by line: 100 forms")


def test_the_exception_below_an_error_precedes_the_index_of_rare_lines() -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    lines = ["ERROR it failed", "Traceback (most recent call last):", "ValueError: odd price"]
    lines += [f"INFO {first} {second} once in this long line of the log" for first in words for second in words]
    sections = list(make_section_layouts(forms(lines), as_table("\n".join(lines), 300)))[-1]
    ranks = {entry.label: entry.rank for section in sections for entry in section.entries}
    index = next(section for section in sections if section.title.startswith("Rare"))
    assert ranks["ValueError: odd price"] < min(entry.rank for entry in index.entries)


def test_lines_of_failure_with_a_normal_level_are_not_said_to_have_none() -> None:
    lines = ["INFO task 7 has status FAILED", "ValueError: no header"]
    for shown, title in ((lines, "Trouble without an error level"), (lines[1:], "Trouble without a level")):
        sections = next(make_section_layouts(forms(shown), as_table("\n".join(shown))))
        assert [section.title.partition(":")[0] for section in sections if section.entries] == [title]


def form(number: int, text: str) -> Template:
    return Template(text, "INFO", NORMAL, number, number)


def words(text: str) -> int:
    return len(text.split())


def test_each_form_is_named_by_its_line_with_words_of_its_own() -> None:
    forms = [form(at * 10, f"2024-01-02 03:04:05 INFO server: {word} was lost") for at, word in enumerate("abcd", 1)]
    (entry,) = make_index("Rare", forms, words, 99, 2).entries
    assert (entry.start, entry.end, entry.rank) == (10, 40, 2)
    assert entry.label.startswith("10 a; 20 b; 30 c")


def test_ranges_span_no_more_than_a_reader_reads() -> None:
    forms = [form(at, f"event {chr(97 + at % 26)}x") for at in range(1, 2_000, 7)]
    for entry in make_index("Rare", forms, words, 10_000, 2).entries:
        assert entry.end - entry.start < 120
        assert not entry.verbatim


def test_short_of_room_forms_are_only_counted() -> None:
    forms = [form(at * 50, f"event number {chr(97 + at)} of some kind") for at in range(20)]
    labels = [entry.label for entry in make_index("Rare", forms, words, 1, 2).entries]
    assert set(labels) <= {"1 form", "2 forms", "3 forms"}
    assert sum(int(label.split()[0]) for label in labels) == 20


def test_forms_that_follow_one_another_are_one_range() -> None:
    forms = [form(at, f"step {chr(97 + at % 26)}{chr(97 + at // 26)} began") for at in range(30, 90)]
    (entry,) = make_index("Boot", forms, words, 500, 2).entries
    assert (entry.start, entry.end) == (30, 89)
    assert entry.label.startswith("60 forms, most lines another: ")


@given(st.lists(st.tuples(st.integers(1, 9_000), st.text(max_size=40)), unique_by=lambda pair: pair[0], max_size=60))
def test_every_form_stands_in_exactly_one_range(pairs) -> None:
    forms = [form(number, text) for number, text in pairs]
    entries = make_index("Rare", forms, len, 400, 2).entries
    for one in forms:
        assert sum(entry.start <= one.first <= entry.end for entry in entries) == 1
