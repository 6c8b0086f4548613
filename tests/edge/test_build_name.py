from pathlib import Path

from ctxkit.edge.build_name import UNNAMED, read_build_name


def test_a_build_is_named_and_a_source_tree_is_not(tmp_path: Path) -> None:
    file = tmp_path / "BUILD"
    assert read_build_name(str(file)) == UNNAMED
    file.write_text("")
    assert read_build_name(str(file)) == UNNAMED
    file.write_text("commit 3f9a2c81, 2026-11-23\nmore\n")
    assert read_build_name(str(file)) == "commit 3f9a2c81, 2026-11-23"
