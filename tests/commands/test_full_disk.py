"""On a disk without a free byte, a collection frees, and content passes and says where it went."""

from pathlib import Path

import pytest

from tests.full_disk import FILL, name_directories, run_on_disk

pytestmark = pytest.mark.slow
MAKE = 'mkdir "$HOME" "$XDG_CACHE_HOME" "$XDG_DATA_HOME" "$XDG_CONFIG_HOME"; '
OLD = 'find "$XDG_CACHE_HOME" -exec touch -d "40 days ago" {} +; '
STORE = 'seq 400000 | "$1" cache put >"$DISK/ref"; '


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    place = tmp_path / "disk"
    place.mkdir()
    return place


@pytest.mark.parametrize("before", ["", '"$1" cache search nothing || true; ', '"$1" session new s --window 900; '])
def test_a_collection_frees_a_full_disk(disk: Path, ctxkit: str, home: dict[str, str], before: str) -> None:
    """The database cannot be opened as usual: its shared memory is a file, for which there is no room."""
    script = MAKE + STORE + before + OLD + FILL + '"$1" cache gc --max-age 1d; df --output=avail -B1 "$DISK" | tail -1'
    done = run_on_disk(disk, "12m", script, ctxkit, env={**home, **name_directories(disk)})
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.splitlines()[-1]) > 2_000_000
    assert "removed 1 blob" in done.stdout


def test_what_an_active_session_and_a_snapshot_name_stays_on_a_full_disk(disk: Path, ctxkit: str, home) -> None:
    """Only the write-ahead log has the row of the session."""
    script = MAKE + '"$1" session new s --window 90000; ' + 'seq 90000 | "$1" gate --session s >"$DISK/map"; ' + STORE
    script += OLD + FILL + '"$1" cache gc --max-age 1d; echo "left: $("$1" cache list | wc -l)"; "$1" cache verify'
    done = run_on_disk(disk, "12m", script, ctxkit, env={**home, **name_directories(disk)})
    assert done.returncode == 0, done.stderr
    assert "removed 1 blob" in done.stdout
    assert "left: 1\n" in done.stdout


def test_a_full_home_says_where_content_went(disk: Path, ctxkit: str, home: dict[str, str]) -> None:
    script = MAKE + FILL + 'seq 90000 | "$1" gate --window 900 --tokenizer qwen3'
    done = run_on_disk(disk, "2m", script, ctxkit, env={**home, **name_directories(disk)})
    assert done.returncode == 0, done.stderr
    assert "a map, not the content" in done.stdout
    assert "No space left on device" in done.stderr
    assert f"content is stored in {home['TMPDIR']}/ctxkit-" in done.stderr
    assert len(done.stderr.splitlines()) <= 2, done.stderr
