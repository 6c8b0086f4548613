from ctxkit.core.brief.grids.outline_tree import TreeNode, count_levels, make_tree_entries


def test_levels_that_fit() -> None:
    assert count_levels([1, 3, 9, 27], 13) == 3
    assert count_levels([1, 30], 5) == 2
    assert count_levels([], 5) == 1


def test_many_children_are_grouped_by_line() -> None:
    children = [TreeNode(f"n{at}", at * 10, at * 10 + 9) for at in range(1, 101)]
    root, *groups = make_tree_entries([TreeNode("root", 1, 1009, 100, children)], 5)
    assert (root.label, root.dense) == ("root", False)
    assert [group.label for group in groups][:2] == ["from n1", "from n13"]
    assert sum(len(group.children) for group in groups) == 100
