"""Each tree of data does what the protocols say: the text of JSON, and the nodes of YAML."""

import json
from itertools import pairwise

import pytest

from ctxkit.core.brief.data.data_nodes import DataNodes
from ctxkit.core.brief.data.data_tree import DataMember, DataTree
from ctxkit.core.brief.data.yaml_tree import read_yaml
from ctxkit.core.text.positions import JsonMember, JsonPositions

VALUE = {"name": "web", "ports": [80, {"tls": 443}], "notes": {"a": 1, "b": "x"}}
TEXT = json.dumps(VALUE, indent=2)
YAML = "name: web\nports:\n  - 80\n  - tls: 443\nnotes:\n  a: 1\n  b: x\n"


def json_tree() -> tuple[DataTree, DataMember]:
    return JsonPositions(TEXT), JsonMember(None, 0, 0, len(TEXT))


def yaml_tree() -> tuple[DataTree, DataMember]:
    return DataNodes(), read_yaml(YAML.split("\n")).documents[0]


TREES = pytest.mark.parametrize("make", [json_tree, yaml_tree])


@TREES
def test_members_have_their_keys_and_elements_none(make) -> None:
    tree, root = make()
    members = tree.below(root)
    assert [member.key for member in members] == ["name", "ports", "notes"]
    assert [member.key for member in tree.below(members[1])] == [None, None]
    assert [tree.is_plain(member) for member in members] == [True, False, False]
    assert tree.below(members[0]) == []


@TREES
def test_a_path_leads_to_a_value_and_none_is_any_step(make) -> None:
    tree, root = make()
    assert tree.value(tree.find(root, ("ports", 0))) == 80
    assert tree.value(tree.find(root, ("notes", None), lambda value: value == "x")) == "x"
    assert tree.find(root, ("ports", 7)) is None
    assert tree.find(root, ("missing",)) is None
    assert tree.value(root) == VALUE


@TREES
def test_places_are_in_order_and_inside_the_parent(make) -> None:
    tree, root = make()
    places = [(member.at, member.start, member.end) for member in tree.below(root)]
    assert all(at <= start < end for at, start, end in places)
    assert all(before[2] <= after[0] for before, after in pairwise(places))
    assert root.start <= places[0][0] <= places[-1][2] <= root.end


def test_the_text_of_json_converts_places_to_lines() -> None:
    tree, root = json_tree()
    assert [tree.line(member.at) for member in tree.below(root)] == [2, 3, 9]
    assert tree.byte(tree.below(root)[0].at) == TEXT.index('"name"')
