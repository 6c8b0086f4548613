"""The options of a turn."""

from ctxkit.edge.turn_options import TurnOptions


def test_sections_come_from_the_files_that_are_named() -> None:
    assert TurnOptions().prompt_files is None
    options = TurnOptions(system=("s",), scratchpad=("p",), tools=("t",))
    files = options.prompt_files
    assert files is not None
    assert (files.base, files.scratchpad, files.manifest) == (("s",), ("p",), None)
    assert options.file_names == ["s", "p", "t"]
