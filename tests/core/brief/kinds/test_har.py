import json

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import har as kind
from ctxkit.core.text import lines


def archive(number=60, indent=1):
    entries = [
        {
            "request": {"method": "GET", "url": f"https://{('a', 'b')[at % 2]}.com/{at}"},
            "response": {"status": 200, "content": {"size": at, "mimeType": "text/html; charset=utf-8"}},
            "time": at,
        }
        for at in range(number)
    ]
    entries[7]["response"] = {"status": 503}
    entries[9]["response"] = {"status": 0, "_error": "net::ERR_FAILED"}
    return json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=indent)


def test_requests_are_counted_and_the_failed_ones_have_their_lines(trial) -> None:
    text = trial(kind).map(archive())
    assert "- 60 requests, 2 failed" in text
    assert "- statuses: 200 ×58, 503 ×1, none ×1" in text
    assert ".log.entries[7]: GET https://b.com/7 -> 503, 7 ms" in text
    assert ".log.entries[9]: GET https://b.com/9 -> no answer (net::ERR_FAILED)" in text
    assert "- a.com: 30 requests" in text


def test_one_long_line_is_told_in_bytes_and_paths() -> None:
    data = archive(indent=None).encode()
    made = kind.outline(InputDocument(lines.lines_from_bytes(data), lambda at, n: data[at : at + n], len, 2_000))[0]
    entry = made.sections[1].entries[0]
    assert entry.in_bytes
    assert json.loads(data[entry.start - 1 : entry.end])["response"] == {"status": 503}
    assert made.path == ".log.entries[0]"


def test_other_json_is_no_archive_and_nothing_breaks_it(trial) -> None:
    assert trial(kind).known('{"log": {"version": "1", "entries": [1, 2]}}') == "json"
    for text in ('{"log": {"version": 1, "entries": [{"request": 1}, {"request": {}}]}}', "{", '{"log": {}}', ""):
        trial(kind).check(text)
