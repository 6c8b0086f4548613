from pathlib import Path

import pytest

from ctxkit.engines.own_state import PRIVATE, SETTINGS, OwnFiles, OwnPlace, list_own_files, remove_own_files

REF = "ab" * 32
OWN = [
    *(f"clashes/ab/{REF}", f"damaged/{REF}"),
    *(f"blobs/ab/{REF}", f"marks/ab/{REF}", f"marks/ab/{REF}.77", "taking/77-0123456789ab", "vocabularies/o200k-1.0", "tidied", "clock"),
    *("search.db", "search.db-wal", "ctxkit.db", "ctxkit.db.damaged-1700000000", "ctxkit.db.damaged-1700000000-wal"),
    *(f"notices/{'ab' * 16}", f"servers/{'ab' * 8}", f"servers/{'ab' * 8}.sessions/{'ab' * 16}"),
    *("histories/s.jsonl", "histories/s.times", "histories/s.removing", "histories/s.removed", "hosts/directories.json"),
    *("hosts/pages/s.md", "hosts/pages/s.json", "hosts/pages/claude-code/s.md", "hosts/claude-code/kept/s-1"),
    *(f"unshared/{'ab' * 8}/pending", f"unshared/{'ab' * 8}/ctxkit.db", f"unshared/{'ab' * 8}/histories/s.jsonl"),
    "histories/.ctxkit-77-0123456789abcdef",
]
THEIRS = [
    *("thesis.md", "blobs/thesis.md", "blobs/ab/thesis.md", "histories/thesis.md", "vocabularies/thesis", "hosts/codex/hook"),
    *("servers/www.conf", "notices/today", "models.jsonl", "config.toml", "blobs/xy/file"),
]
"""What lies there too if the user has named a directory that others use."""


def fill(directory: Path, names: list[str]) -> None:
    for name in names:
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text("four")


def list_files(directory: Path) -> list[str]:
    return sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*") if not path.is_dir())


def test_own_files_are_listed_and_removed_and_no_others(tmp_path: Path) -> None:
    fill(tmp_path, [*OWN, *THEIRS])
    files = OwnFiles(str(tmp_path), len(OWN), 4 * len(OWN), ())
    assert list_own_files(OwnPlace(str(tmp_path))) == files
    assert remove_own_files(OwnPlace(str(tmp_path))) == files
    assert list_files(tmp_path) == sorted(THEIRS)
    assert remove_own_files(OwnPlace(str(tmp_path))).files == 0


@pytest.mark.parametrize(("name", "goes"), [("ctxkit", True), ("ctxkit-1000-s", True), ("mine", False)])
def test_an_empty_directory_goes_if_it_is_named_ctxkit(tmp_path: Path, name: str, goes: bool) -> None:
    fill(tmp_path / name, OWN)
    remove_own_files(OwnPlace(str(tmp_path / name)))
    assert (tmp_path / name).exists() is not goes


def test_links_stay_with_what_they_lead_to(tmp_path: Path) -> None:
    fill(tmp_path / "theirs", ["s.jsonl", "s.times"])
    fill(tmp_path / "ctxkit", ["histories2/x"])
    (tmp_path / "ctxkit" / "histories").symlink_to(tmp_path / "theirs")
    (tmp_path / "ctxkit" / "tidied").symlink_to(tmp_path / "theirs" / "s.times")
    links = (str(tmp_path / "ctxkit" / "histories"), str(tmp_path / "ctxkit" / "tidied"))
    assert remove_own_files(OwnPlace(str(tmp_path / "ctxkit"))) == OwnFiles(str(tmp_path / "ctxkit"), 0, 0, links)
    assert list_files(tmp_path / "theirs") == ["s.jsonl", "s.times"]


def test_beside_the_settings_only_the_table_goes(tmp_path: Path) -> None:
    fill(tmp_path, ["config.toml", "models.jsonl"])
    assert remove_own_files(OwnPlace(str(tmp_path), SETTINGS)).files == 1
    assert list_files(tmp_path) == ["config.toml"]
    assert list_own_files(OwnPlace(str(tmp_path / "none"))) == OwnFiles(str(tmp_path / "none"), 0, 0, ())


def test_a_private_directory_in_a_public_place_is_used_only_if_it_is_this_users(tmp_path: Path) -> None:
    names = ["tidied", "data/ctxkit.db"]
    fill(tmp_path / "ctxkit-1", names)
    place = OwnPlace(str(tmp_path / "ctxkit-1"), PRIVATE, is_private=True)
    (tmp_path / "ctxkit-2").symlink_to(tmp_path / "ctxkit-1")
    for mode, path in ((0o755, "ctxkit-1"), (0o700, "ctxkit-2")):
        (tmp_path / "ctxkit-1").chmod(mode)
        assert remove_own_files(place._replace(directory=str(tmp_path / path))).files == 0
        assert list_files(tmp_path / "ctxkit-1") == sorted(names)
    assert remove_own_files(place).files == 2
    assert not (tmp_path / "ctxkit-1").exists()
