"""Names of files are read from lists."""

from pathlib import Path

import pytest

from ctxkit.core.errors import MissingInputError
from ctxkit.edge.file_lists import read_names


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (b"a\nb c\n", ["a", "b c"]),
        (b"a\0b\nc\0", ["a", "b\nc"]),
        (b"", []),
        (b"\n\na", ["a"]),
        (b"\xff\n", ["\udcff"]),
        ("a\u2028b\nc\x0cd\ne\x85f\n".encode(), ["a\u2028b", "c\x0cd", "e\x85f"]),
    ],
)
def test_names_stand_on_lines_or_between_nuls(tmp_path: Path, data, names) -> None:
    (tmp_path / "list").write_bytes(data)
    assert read_names(str(tmp_path / "list")) == names


def test_a_list_that_is_not_there_is_missing_input(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError):
        read_names(str(tmp_path / "none"))
