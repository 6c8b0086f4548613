import os

import pytest

from ctxkit.core.errors import InputOutputError
from ctxkit.core.lint.promotion import Promotion
from ctxkit.core.session.history import HistoryExtent, Snapshot
from ctxkit.edge.promotion import MemoryChange, change_memory, read_summary, write_memory
from tests.core.lint.places import workspace

PAGE = "[ctxkit summary] Earlier.\\n\\n# Context\\n\\n## Facts\\n- Staging needs the VPN.\\n"


def snapshot(content: str) -> Snapshot:
    return Snapshot("s", content.encode(), "openai", 1, 1, "exact", HistoryExtent())


def test_the_newest_summary_of_a_snapshot_is_read():
    talk = f'{{"role":"system","content":"{PAGE}"}}\n{{"role":"user","content":"go"}}\n'
    page = read_summary(snapshot(talk))
    assert page is not None
    assert page.facts == ("Staging needs the VPN.",)


def test_a_conversation_without_a_summary_or_of_another_format_proposes_nothing():
    assert read_summary(snapshot('{"role":"user","content":"go"}\n')) is None
    assert read_summary(snapshot("{")) is None


def test_the_patch_creates_or_extends_the_memory():
    lines = [Promotion("Use tabs here.", "Facts", ("a", "b"))]
    new = change_memory(workspace({"AGENTS.md": "- a\n"}), lines)
    assert new.diff()[:3] == ["--- /dev/null\n", "+++ b/MEMORY.md\n", "@@ -0,0 +1,3 @@\n"]
    old = change_memory(workspace({"MEMORY.md": "- a"}), lines)
    assert old.after == b"- a\n- Use tabs here.\n"
    assert old.diff()[-3:] == ["-- a\n\\ No newline at end of file\n", "+- a\n", "+- Use tabs here.\n"]


def test_a_memory_that_changed_meanwhile_is_not_written(tmp_path):
    path = tmp_path / "MEMORY.md"
    write_memory(str(tmp_path), MemoryChange("MEMORY.md", b"", b"- a\n"))
    assert path.read_bytes() == b"- a\n"
    with pytest.raises(InputOutputError, match="changed meanwhile"):
        write_memory(str(tmp_path), MemoryChange("MEMORY.md", b"", b"- b\n"))
    assert path.read_bytes() == b"- a\n"


def test_a_memory_outside_of_the_directory_is_not_written(tmp_path):
    (tmp_path / "w").mkdir()
    os.symlink("../outside.md", tmp_path / "w" / "MEMORY.md")
    with pytest.raises(InputOutputError):
        write_memory(str(tmp_path / "w"), MemoryChange("MEMORY.md", b"", b"- a\n"))
    assert not (tmp_path / "outside.md").exists()
