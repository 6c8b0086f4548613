from pathlib import Path

from tests.conftest import is_usable_ram_disk


def test_a_directory_that_does_not_exist_is_no_ram_disk(tmp_path: Path) -> None:
    assert not is_usable_ram_disk(str(tmp_path / "none"))
