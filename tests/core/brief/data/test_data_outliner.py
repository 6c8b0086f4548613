import json

from ctxkit.core.brief.data.data_outliner import DataOutliner
from ctxkit.core.text.positions import JsonMember, JsonPositions


def charted(text, *, by_bytes=False):
    chart = DataOutliner(JsonPositions(text), [JsonMember(None, 0, 0, len(text))], [json.loads(text)], by_bytes=by_bytes)
    return chart.build_outlines("json", (), 2_000)[0]


def test_what_is_odd_stands_where_it_is() -> None:
    rows = [{"id": at, "v": 1} for at in range(40)]
    rows[9]["v"] = "x"  # type: ignore[assignment]
    rows[30]["id"] = 4
    odd = charted(json.dumps(rows, indent=1)).sections[1].entries
    assert [(one.start, one.label) for one in odd] == [
        (40, "[].v is a string in 1 of 40; a number in 39 (here [9])"),
        (123, "[].id is 4 a second time (here [30], first in [4])"),
    ]


def test_one_long_line_has_a_path_to_begin_with() -> None:
    text = json.dumps({"a b": [{"id": at, "text": "x" * 90} for at in range(400)]})
    assert charted(text, by_bytes=True).path == '["a b"][0:20]'
    assert charted(text).path == ""
