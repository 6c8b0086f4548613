"""Changes that are not certain."""

import time

import pytest

from ctxkit.core.context.extract.certainty import find_missing_paths, find_reverted_paths, is_certain_change
from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.tool_call import find_tool_calls
from tests.core.context.talk import did, ran, records_of, user


def is_certain(call, path: str) -> bool:
    [classified_call] = classify_calls(find_tool_calls(records_of([user("x"), *call])))
    return is_certain_change(classified_call, path)


@pytest.mark.parametrize(
    ("call", "path"),
    [
        (did("edit", {"path": "src/a.py"}, "ok"), "src/a.py"),
        (ran("cat > a.py <<'E'\ncd b\ncurl x &\nE"), "a.py"),
        (ran("cd /repo && sed -i s/x/y/ a.py"), "a.py"),
        (ran("cd sub && sed -i s/x/y/ /repo/a.py"), "/repo/a.py"),
        (ran("cd C:\\repo && cat <<'E' > a.txt 2>&1\nx\nE"), "a.txt"),
        (ran("cat >> 'my notes.md' <<'E'\nx\nE"), "my notes.md"),
        (ran("python3 - <<'E'\nfrom pathlib import Path\np = Path('src/a.py')\np.write_text('x')\nE"), "src/a.py"),
        (ran("sed -i '' \\\n s/x/y/ /repo/a.py"), "/repo/a.py"),
        (ran("perl -0pi -e s/x/y/ a.py"), "a.py"),
        (ran("apply_patch <<'E'\n*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch\nE"), "a.py"),
        (ran("str_replace_editor create /repo/a.py --file_text 'x'"), "/repo/a.py"),
    ],
)
def test_a_change_that_is_certain(call, path: str) -> None:
    assert is_certain(call, path)


@pytest.mark.parametrize(
    ("call", "path"),
    [
        (did("write", {"path": "out/"}, "ok"), "out/"),
        (ran("cp -r in out/"), "out/"),
        (ran("cp in/a.py out/a.py"), "out/a.py"),
        (ran("pip freeze > requirements.txt"), "requirements.txt"),
        (ran('echo "a -> NO RECORD"'), "NO"),
        (ran("cp a.py b.py\ncat > c.py <<'E'\nx\nE"), "b.py"),
        (ran("make && cat > a.txt <<'E'\nx\nE", "error", 2), "a.txt"),
        (ran("cd sub && sed -i s/x/y/ a.py"), "a.py"),
        (ran("curl -o a.zip https://example.org/a.zip"), "a.zip"),
        (ran("sed -i s/x/y/ /repo/a.py &", "Background command started. PID: 1"), "/repo/a.py"),
        (ran("sed -i s/x/y/ /repo/a.py", "Command still running (session x)"), "/repo/a.py"),
    ],
)
def test_a_change_that_is_not_certain(call, path: str) -> None:
    assert not is_certain(call, path)


@pytest.mark.parametrize(
    ("command", "reverted"),
    [
        ("git reset --hard HEAD", ["a.py", "/repo/src/b.py"]),
        ("cd /repo && git checkout -- .", ["a.py", "/repo/src/b.py"]),
        ("git checkout .", ["a.py", "/repo/src/b.py"]),
        ("git checkout HEAD -- src/b.py", ["/repo/src/b.py"]),
        ("git restore --source=main a.py", ["a.py"]),
        ("git checkout main", []),
        ("git restore --staged .github", []),
        ("git status", []),
        ("ls", []),
        ('Rename-Item -LiteralPath "src\\b.py" -NewName "c.py"', ["/repo/src/b.py"]),
        ("cd /repo; move .\\a.py old", ["a.py"]),
        ("python -c \"import os; os.remove('src/b.py')\"", ["/repo/src/b.py"]),
        ("python -c \"import pathlib; pathlib.Path('src/b.py').unlink()\"", ["/repo/src/b.py"]),
        ("git commit -m 'Rename a.py and move src/b.py'", []),
    ],
)
def test_changes_that_a_command_takes_back(command: str, reverted: list[str]) -> None:
    [call] = classify_calls(find_tool_calls(records_of([user("x"), *ran(command)])))
    assert find_reverted_paths(call, ["a.py", "/repo/src/b.py"]) == reverted


def test_a_long_command_costs_no_more_than_its_beginning() -> None:
    start = time.perf_counter()
    for command in ("cd " * 100_000, "sed -" * 100_000, " " * 400_000, "a='" * 100_000, "git checkout " * 40_000, "git " * 100_000, "& " * 100_000):
        is_certain(ran(command), "a.py")
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("ls /w/init.sh /w/install* 2>/dev/null", {"/w/init.sh"}),
        ("ls -la /w/init.sh /w/setup", {"/w/init.sh"}),
        ("ls /w/setup /w/init.sh; make", set()),
        ("cat /w/init.sh", set()),
    ],
)
def test_a_failed_listing_says_which_files_are_gone(command: str, missing: set[str]) -> None:
    [call] = classify_calls(find_tool_calls(records_of([user("x"), *ran(command, "/w/install\n/w/setup", 2)])))
    assert find_missing_paths(call) == missing
