import json

from ctxkit.core.brief.data.large_json import LargeJson
from ctxkit.core.brief.data.shape import ShapeLearner
from ctxkit.core.text.json_indexer import JsonCursor, build_json_index
from ctxkit.core.text.lines import lines_from_bytes

VALUE = {"rows": [{"id": at, "ü": "é" * (at % 7)} for at in range(300)], "metadata": {"name": "x"}, "n": 1}
DATA = json.dumps(VALUE, indent=1, ensure_ascii=False).encode()


def tree() -> LargeJson:
    lines = lines_from_bytes(DATA)
    cursor = JsonCursor(lines.read, lines.size, window=64, large=100)
    return LargeJson(lines, build_json_index(cursor, lines.size, 0, ShapeLearner(lines.read), step=60).root)


def test_every_member_has_its_bytes_and_its_line() -> None:
    places = tree()
    (root,) = places.documents()
    rows = places.below(root)[0]
    assert rows.key == "rows"
    members = places.below(rows)
    assert len(members) == 300
    for number in (0, 1, 42, 299, -1):
        member = members[number]
        assert json.loads(DATA[member.start : member.end]) == VALUE["rows"][number]
        assert places.line(member.start) == DATA.count(b"\n", 0, member.start) + 1
        assert places.value(places.below(member)[0]) == VALUE["rows"][number]["id"]
    assert [places.value(member) for member in members[10:13]] == VALUE["rows"][10:13]


def test_a_large_object_has_its_number_of_keys_and_its_short_members() -> None:
    places = tree()
    value = places.value(places.documents()[0])
    assert len(value) == 3
    assert value["metadata"] == {"name": "x"}
    assert "rows" not in value


def test_a_value_is_found_by_its_path_and_test() -> None:
    places = tree()
    (root,) = places.documents()
    member = places.find(root, ["rows", None, "id"], lambda value: value == 217)
    assert member is not None
    assert DATA[member.at : member.end] == b'"id": 217'
    assert places.find(root, ["rows", 5, "id"]) == places.below(places.below(places.below(root)[0])[5])[0]
    assert places.find(root, ["none"]) is None
