import json

from ctxkit.core.brief.data.data_outliner import DataOutliner
from ctxkit.core.text.positions import JsonMember, JsonPositions


def sections(value, target=2_000):
    text = json.dumps(value, indent=1)
    chart = DataOutliner(JsonPositions(text), [JsonMember(None, 0, 0, len(text))], [value])
    made = chart.build_outlines("json", (), target)
    return [
        [(one.start, one.label) for one in section.entries]
        for part in made
        for section in part.sections
        if section.title == "Operations"
    ]


def described(number):
    paths = {
        f"/things/{at}": {"get": {"operationId": f"get{at}"}, "post": {"summary": "Make one"}} for at in range(number)
    }
    return {"openapi": "3.0.0", "paths": paths}


def test_operations_have_their_lines() -> None:
    assert sections(described(1))[0] == [(5, "GET /things/0: get0"), (8, "POST /things/0: Make one")]


def test_many_are_told_by_path_or_by_runs_of_paths() -> None:
    made = sections(described(200))
    assert made[0][0] == (4, "/things/0 to /things/1 (4 operations on 2 paths)")
    assert all(rows[0][0] == 4 for rows in made)
    assert len(made[-1]) < len(made[0]) <= 130
    assert sections(described(80))[0][0] == (4, "/things/0 (GET, POST)")


def test_other_data_has_none() -> None:
    assert sections({"paths": {"/a": {"get": {}}}}) == []
    assert sections({"openapi": "3", "paths": [1]}) == []
