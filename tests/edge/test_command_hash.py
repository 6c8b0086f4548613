import os
import stat
from pathlib import Path

from ctxkit.edge.command_hash import NAME, hash_command


def test_the_same_words_have_the_same_hash_on_one_machine_only(tmp_path: Path) -> None:
    one, two = str(tmp_path / "one" / "ctxkit"), str(tmp_path / "two" / "ctxkit")
    first = hash_command("make test", one)
    assert (len(first), hash_command(" make  test\n", one)) == (16, first)
    assert hash_command("make tests", one) != first
    assert hash_command("make test", two) != first
    assert stat.S_IMODE(os.stat(Path(one, NAME)).st_mode) == 0o600
    assert hash_command("a \udc80", one)


def test_without_a_key_there_is_no_hash(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert hash_command("make", str(tmp_path / "file" / "ctxkit")) == ""
    (tmp_path / "ctxkit").mkdir(mode=0o700)
    (tmp_path / "ctxkit" / NAME).write_bytes(b"short")
    assert hash_command("make", str(tmp_path / "ctxkit")) == ""


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "ctxkit").mkdir(mode=0o700)
    (tmp_path / "target").write_bytes(b"k" * 32)
    os.symlink(tmp_path / "target", tmp_path / "ctxkit" / NAME)
    assert hash_command("make", str(tmp_path / "ctxkit")) == ""
