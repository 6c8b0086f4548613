import pytest

from ctxkit.core.summary.files import find_changed_files, make_list_forms
from ctxkit.core.summary.outcome import classify_calls
from ctxkit.core.summary.tool_call import find_tool_calls
from tests.core.summary.talk import did, ran, records_of, user

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Delete File: b.py\n*** End Patch"


def found(*talk):
    records = records_of([user("x"), *(turn for part in talk for turn in part)])
    return find_changed_files(classify_calls(find_tool_calls(records)))


def changed(*talk):
    return found(*talk)[0]


def test_the_newest_stands_first_and_each_once() -> None:
    edits = did("edit", {"path": "a.py"}), did("write", {"path": "b.py", "content": ""}), did("edit", {"path": "a.py"})
    assert changed(*edits, ran("sed -i s/x/y/ c.py"), did("read", {"path": "d.py"})) == ("c.py", "a.py", "b.py")


@pytest.mark.parametrize(
    ("call", "paths"),
    [
        (ran("echo x > a.txt"), ("a.txt",)),
        (ran("cat > src/b.py <<'E'\nx\nE"), ("src/b.py",)),
        (ran("@'\nx\n'@ | Set-Content backend\\mod0.py"), ("backend\\mod0.py",)),
        (ran("'x' | Out-File -FilePath 'out.txt'"), ("out.txt",)),
        (did("apply_patch", {"input": PATCH}), ("a.py",)),
        (did("shell", {"command": ["apply_patch", PATCH]}), ("a.py",)),
        (ran("git mv old.py new.py"), ("new.py",)),
        (did("edit", {"search": "x", "replace": "y"}, "[File: /repo/a.py (10 lines total)]\n1:x"), ("/repo/a.py",)),
        (ran("echo x > a.txt && make", "error: x", 2), ("a.txt",)),
        (ran("rm -rf build", "", 0), ()),
        (ran("echo x > /dev/null"), ()),
        (ran("touch /tmp/once.txt src/__pycache__/a.pyc"), ()),
    ],
)
def test_what_calls_change(call, paths) -> None:
    assert changed(call) == paths


@pytest.mark.parametrize(
    "result",
    ["Error: no match", None, "apply_patch verification failed: no lines", "The user doesn't want to proceed with this tool use."],
)
def test_what_did_not_happen_changed_nothing(result) -> None:
    assert changed(did("edit", {"path": "a.py"}, result)) == ()


def test_names_below_the_current_folder_are_changed_once() -> None:
    edits = did("edit", {"path": "./src/a.py"}), did("edit", {"path": "./src/b.py"}), did("edit", {"path": "src/a.py"})
    assert changed(*edits) == ("src/a.py", "./src/b.py")
    assert changed(did("edit", {"path": "/repo/src/a.py"}), did("edit", {"path": "./src/a.py"})) == ("/repo/src/a.py",)


def test_what_is_removed_or_moved_is_not_changed_any_more() -> None:
    written = did("write", {"path": "/repo/tmp.py"}), did("write", {"path": "/repo/src/b.py"})
    assert changed(*written, ran("rm tmp.py")) == ("/repo/src/b.py",)
    assert changed(*written, ran("rm -rf /repo/src")) == ("/repo/tmp.py",)
    assert changed(*written, ran("mv /repo/src/b.py /repo/src/c.py")) == ("/repo/src/c.py", "/repo/tmp.py")
    assert found(*written, ran("rm -rf /repo/src build")) == (("/repo/tmp.py",), ("/repo/src/b.py",))
    assert found(did("apply_patch", {"input": PATCH})) == (("a.py",), ("b.py",))
    assert found(*written, ran("rm tmp.py"), written[0]) == (("/repo/tmp.py", "/repo/src/b.py"), ())
    assert changed(*written, ran("rm /repo/tmp.py", "rm: cannot remove", 1)) == ("/repo/src/b.py", "/repo/tmp.py")


def test_a_relative_folder_removes_no_absolute_paths() -> None:
    assert changed(did("write", {"path": "/repo/src/a.py"}), ran("cd /other && rm -rf src")) == ("/repo/src/a.py",)


def test_two_names_of_one_file_are_told_by_the_longer() -> None:
    edits = (did("edit", {"path": path}) for path in ("src/a.py", "/repo/src/a.py", "./src/a.py"))
    assert changed(*edits) == ("/repo/src/a.py",)


def test_lists_have_ever_shorter_forms() -> None:
    forms = list(make_list_forms("Changed", [f"/app/src/a{number}.py" for number in range(30)]))
    assert forms[0].startswith("Changed in /app/: src/a0.py, src/a1.py")
    assert [form.count("a") > 0 and len(form) for form in forms] == sorted(map(len, forms), reverse=True)
    assert forms[-1].endswith("and others.")
    assert list(make_list_forms("Changed", ["/app/a.py"])) == ["Changed: /app/a.py."]
