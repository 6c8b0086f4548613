"""A directory of generated files is written, checked, and freed of what is stale."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tools.pages.publish import publisher


def published(*args, made):
    """Run a publisher of some files; say how it ended and what it told."""
    done = CliRunner().invoke(publisher(lambda: made, "ours*"), [str(arg) for arg in args])
    return done.exit_code, done.stdout, done.stderr


def test_files_are_written_into_a_directory_that_is_not_there_yet(tmp_path: Path) -> None:
    assert published(tmp_path / "a" / "b", made={"ours.1": "né\n"}) == (0, "", "")
    assert (tmp_path / "a" / "b" / "ours.1").read_bytes() == "né\n".encode()


def test_a_file_that_is_as_it_should_be_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "ours.1").write_text("same")
    before = (tmp_path / "ours.1").stat().st_mtime_ns
    assert published(tmp_path, made={"ours.1": "same"}) == (0, "", "")
    assert (tmp_path / "ours.1").stat().st_mtime_ns == before


def test_check_names_what_is_stale_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "ours.gone").write_text("old")
    told = "".join(f"{tmp_path / name} is stale\n" for name in ("ours.1", "ours.gone"))
    assert published("--check", tmp_path, made={"ours.1": "new"}) == (1, "", told)
    assert [path.name for path in tmp_path.iterdir()] == ["ours.gone"]


def test_check_of_a_directory_that_is_not_there_makes_none(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    assert published("--check", gone, made={"ours.1": ""}) == (1, "", f"{gone / 'ours.1'} is stale\n")
    assert not gone.exists()


@pytest.mark.slow
@pytest.mark.parametrize("module", ["manual", "completion"])
def test_a_directory_is_written_checked_and_freed_of_stale_files(module: str, tmp_path: Path) -> None:
    def publish(*args):
        command = [sys.executable, "-m", f"tools.pages.{module}", *args]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    made = tmp_path / "made"
    assert publish(str(made)) == (0, "", "")
    stale = made / ("ctxkit-gone.1" if module == "manual" else "_ctxkit_gone")
    kept, changed = made / "other.txt", min(made.iterdir())
    stale.write_text("old")
    kept.write_text("not ours")
    changed.write_text("edited")
    assert publish("--check", str(made)) == (1, "", "".join(f"{path} is stale\n" for path in sorted([stale, changed])))
    assert publish(str(made)) == (0, "", "")
    assert kept.exists()
    assert not stale.exists()
    assert changed.read_text() != "edited"
