import json

import pytest

from ctxkit.core.brief.data.data_outliner import DataOutliner
from ctxkit.core.text.positions import JsonMember, JsonPositions

TYPES = [
    {"kind": "OBJECT", "name": "Mutation", "fields": [{"name": "pay", "args": [{"name": "id"}]}, {"name": "undo", "args": [], "isDeprecated": True}]},
    {"kind": "ENUM", "name": "Status", "enumValues": [{"name": "NEW"}, {"name": "PAID"}]},
    {"kind": "SCALAR", "name": "ID"},
    {"kind": "OBJECT", "name": "__Type", "fields": [{"name": "kind"}]},
]


def list_types(value):
    text = json.dumps(value, indent=1)
    chart = DataOutliner(JsonPositions(text), [JsonMember(None, 0, 0, len(text))], [value])
    outline = chart.build_outlines("json", (), 2_000)[0]
    return [entry for section in outline.sections if section.title.startswith("Types") for entry in section.entries]


@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: {"data": value}])
def test_types_have_their_members_and_lines(wrap):
    entries = list_types(wrap({"__schema": {"types": TYPES}}))
    assert [entry.label for entry in entries] == ["type Mutation: pay(id), undo (deprecated)", "enum Status: NEW, PAID", "scalars: ID"]
    assert entries[0].start < entries[0].end < entries[1].start


@pytest.mark.parametrize("value", [{"__schema": {"types": [1, {}]}}, {"types": TYPES}, {"data": None}, []])
def test_other_data_has_none(value):
    assert list_types(value) == []
