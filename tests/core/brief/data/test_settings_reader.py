import pytest

from ctxkit.core.brief.data.settings_reader import MAX_BAD_LINES, SettingsReader


def read(*lines: str):
    return SettingsReader(lines).read()


def test_sections_end_at_their_last_key_and_indented_lines_continue_a_value() -> None:
    content = read("top: 1", "[a]", "b = x", "  y", "", "# note", "[c]", "d = 'q'")
    assert content.root.value == {"top": 1, "a": {"b": "x\ny"}, "c": {"d": "q"}}
    assert [(node.key, node.at, node.end - 1) for node in content.root.children] == [("top", 1, 1), ("a", 2, 4), ("c", 7, 8)]
    assert (content.pairs, content.sections) == (3, 2)


def test_a_repeated_section_continues_and_is_noted() -> None:
    content = read("[a]", "b = 1", "[a]", "c = 2", "b = 3")
    assert content.root.children[0].value == {"b": 3, "c": 2}
    assert content.repeats == [(3, "[a]", 1), (5, "b", 2)]


@pytest.mark.parametrize(("line", "bad"), [("a < b", 1), ("several words", 1), ("word", 0)])
def test_a_line_within_a_section_is_a_key_if_it_is_a_word(line: str, bad: int) -> None:
    assert read("[a]", line).bad_count == bad


def test_the_stored_invalid_lines_are_bounded() -> None:
    content = read(*["no setting here"] * 50)
    assert (content.bad_count, len(content.bad_lines)) == (50, MAX_BAD_LINES)
    assert content.bad_lines[0] == (1, "neither a section nor a key")
