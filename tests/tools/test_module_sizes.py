from pathlib import Path

from tools.module_sizes import MAX_LINES, REASONS, find_long_modules


def test_a_long_module_needs_a_reason(tmp_path: Path) -> None:
    for name in (*REASONS, "long.py", "short.py"):
        path = tmp_path / "ctxkit" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n" * (MAX_LINES + (name != "short.py")))
    assert list(find_long_modules(tmp_path)) == ["ctxkit/long.py: 501 lines, more than 500"]


def test_a_reason_without_a_module_is_reported(tmp_path: Path) -> None:
    assert len(list(find_long_modules(tmp_path))) == len(REASONS)
