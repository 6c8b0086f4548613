import json

import pytest

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.data.json_logs import _format_row, build_json_log_outlines, is_log
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import Hint


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
