from ctxkit.core.brief.data.data_nodes import (
    DataNode,
    DataNodes,
    make_list_node,
    set_list_value,
    set_mapping_value,
    walk,
)


def tree():
    first, second = DataNode(None, 2, 2, 3, "x"), DataNode(None, 3, 3, 4, "y")
    items = DataNode("items", 1, 2, 4, children=[first, second])
    set_list_value(items)
    root = DataNode(None, 1, 1, 5, children=[items, DataNode("n", 4, 4, 5, 7)])
    set_mapping_value(root)
    return root


def test_values_are_made_of_what_is_below() -> None:
    assert tree().value == {"items": ["x", "y"], "n": 7}
    assert [one.at for one in walk(tree())] == [1, 1, 2, 3, 4]


def test_paths_lead_to_branches() -> None:
    places, root = DataNodes(), tree()
    assert places.find(root, ("items", 1)).at == 3
    assert places.find(root, ("items", None), lambda value: value == "y").at == 3
    assert places.find(root, ("items", 5)) is None
    assert [one.key for one in places.below(root)] == ["items", "n"]
    assert (places.is_plain(root), places.is_plain(root.children[1])) == (False, True)
    assert (places.line(4), places.byte(4), places.value(root.children[1])) == (4, 4, 7)


def test_members_that_are_apart_make_a_list() -> None:
    made = make_list_node("a", [DataNode("a", 2, 2, 3, 1), DataNode("a", 7, 7, 9, 2)])
    assert (made.at, made.end, made.value, made.children[0].key) == (2, 9, [1, 2], None)
