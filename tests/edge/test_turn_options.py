"""The options of a turn."""

from ctxkit.edge.prompt_options import PromptFiles
from ctxkit.edge.turn_options import TurnOptions


def test_the_files_of_sections_and_tools_are_named() -> None:
    assert TurnOptions().file_names == []
    assert TurnOptions(PromptFiles(base=("s",), scratchpad=("p",)), tools=("t",)).file_names == ["s", "p", "t"]
