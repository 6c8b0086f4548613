from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.grids.drawn_tree import DrawnTreeReader, build_upper_levels, measure_subtrees
from ctxkit.core.text.lines import lines_from_bytes


def read(text):
    return DrawnTreeReader().read(lines_from_bytes(text.encode()))


def draw(depths):
    return "root\n" + "".join("\u2502   " * depth + f"\u251c\u2500\u2500 n{at}\n" for at, depth in enumerate(depths))


def test_a_root_with_text_below_its_name_is_the_root() -> None:
    tree = read(
        "app@1.0.0\n\u2502 /home/app\n\u251c\u2500\u2500 a@1.0.0\n\u2502   it says a\n\u2514\u2500\u2500 b@2.0.0\n"
    )
    assert list(tree.lines) == [1, 3, 5]
    assert list(tree.depths) == [0, 1, 1]
    assert tree.unknown == 0


def test_lines_outside_are_kept() -> None:
    tree = read("warning: x\n\na\n`-- b\n\n3 files\n")
    assert tree.others == [(1, "warning: x"), (6, "3 files")]


def test_the_frame_of_a_table_is_no_node() -> None:
    frame = "\u251c\u2500\u2500\u2500\u253c\u2500\u2500\u2500\u2524\n\u2502 b \u2502 2 \u2502\n\u2514\u2500\u2500\u2500\u2534\u2500\u2500\u2500\u2518\n"
    tree = read("app\n\u2514\u2500\u2500 a\n\u2502 n \u2502 v \u2502\n" + frame)
    assert list(tree.lines) == [1, 2]


def test_a_name_is_not_a_mark() -> None:
    tree = read("x\n+-- deprecated v1.3.1\n+-- error-ex@1.0\n\\-- a@1 invalid\n")
    assert tree.marks == {"invalid": 1}


@given(st.lists(st.integers(0, 6), min_size=1, max_size=60))
def test_subtrees_hold_all_nodes(depths: list[int]) -> None:
    steps = [0]
    for depth in depths:
        steps.append(min(depth, steps[-1] + 1))
    tree = read(draw(steps))
    ends, sizes = measure_subtrees(tree)
    assert tree.count == len(steps) + 1
    assert (ends[0], sizes[0]) == (len(steps) + 1, len(steps))
    forest, _ = build_upper_levels(tree, lines_from_bytes(draw(steps).encode()), 1_000)
    assert len(forest) == 1
    assert sum(child.descendants + 1 for child in forest[0].children) == len(steps)
