import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.files import FileEffects, find_changed_files, find_effects, make_list_forms, parse_patch
from ctxkit.core.summary.outcome import classify_calls
from ctxkit.core.summary.tool_call import find_tool_calls
from ctxkit.core.text.shell import join_words
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


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("echo hi > out.txt", FileEffects(("out.txt",))),
        ("make 2>&1 | tee build.log >/dev/null", FileEffects(("build.log",))),
        ("cat <<'EOF' > src/a.py\nx > y\nEOF\nrm b.py", FileEffects(("src/a.py",), ("b.py",))),
        ("cat >> notes.md <<EOF\nrm x\nEOF", FileEffects(("notes.md",))),
        ("sed -i 's/a/b/' one.py two.py", FileEffects(("one.py", "two.py"))),
        ("sed -i '' 's/a > b/c/g' one.py", FileEffects(("one.py",))),
        ("sed -i -e 's/a/b/' -e 's/c/d/' one.py", FileEffects(("one.py",))),
        ("sed -n 1,5p one.py", FileEffects()),
        ("perl -pi -e 's/a/b/' one.pl", FileEffects(("one.pl",))),
        ("git mv old.py new.py && git rm -f gone.py", FileEffects((), ("gone.py",), (("old.py", "new.py"),))),
        ("mv a.txt src/b.txt dir", FileEffects((), (), (("a.txt", "dir/a.txt"), ("src/b.txt", "dir/b.txt")))),
        ("mv src/a.txt done/", FileEffects((), (), (("src/a.txt", "done/a.txt"),))),
        ("cp a.py src/b.py lib/; cp -r src lib", FileEffects(("lib/a.py", "lib/b.py", "lib"))),
        ("git rm --cached kept.py", FileEffects()),
        ("cp a.py 'my file.py'", FileEffects(("my file.py",))),
        ("sudo FOO=1 touch a b; rm -rf build", FileEffects(("a", "b"), ("build",))),
        ("cd src && cat main.py", FileEffects()),
        ("rm *.o $OUT", FileEffects()),
        ("curl -o x.tgz https://e.org/x.tgz", FileEffects(("x.tgz",))),
        ("python - <<'PY'\nopen('a','w')\nPY", FileEffects()),
        ("if [ 3 -gt 2 ]; then echo x > y.txt; fi", FileEffects(("y.txt",))),
        ("grep -rn 'a > b' src 2>/dev/null", FileEffects()),
        ("echo \"a > b\" # > c", FileEffects()),
        ("ls | xargs rm", FileEffects()),
        ("timeout 20 sed -i s/a/b/ z.py", FileEffects(("z.py",))),
        ("cat > ~/notes.md <<EOF\nx\nEOF", FileEffects(("~/notes.md",))),
        ("echo x > app/[id]/page.tsx; echo y > app/[[...slug]].ts; echo z > [ab].c", FileEffects(("app/[id]/page.tsx", "app/[[...slug]].ts"))),
        ("bash -x run.sh", FileEffects()),
        ("", FileEffects()),
    ],
)
def test_effects(command: str, made) -> None:
    assert find_effects(command) == made


@given(st.text(alphabet="ab >|&;<'\"$()\\\n#=EOF-", max_size=40))
def test_any_text_is_read(text: str) -> None:
    effects = find_effects(text)
    names = [*effects.changed, *effects.removed, *(name for pair in effects.moved for name in pair)]
    assert all(set(name) <= set(text) for name in names)


@given(st.lists(st.text(alphabet="ab >|&;'\"$*#é", min_size=1, max_size=6), min_size=1, max_size=4))
def test_quoted_words_are_only_words(words: list[str]) -> None:
    line = join_words(["echo", *words])
    assert find_effects(line) == FileEffects()


def test_removed_files_stand_in_the_folder_that_a_script_entered() -> None:
    assert find_effects("cd /mnt/out && rm -rf ./a b /c ~/d").removed == ("/mnt/out/a", "/mnt/out/b", "/c", "~/d")
    assert find_effects("cd app && rm a").removed == ("a",)


def test_commands_of_windows_remove_files() -> None:
    assert find_effects('Remove-Item -Recurse -Force "c:\\app\\old"').removed == ("c:\\app\\old",)
    assert find_effects("rd /s /q old").removed == ("old",)
    assert find_effects("curl -s host > NUL").changed == ()


def test_a_path_that_loses_its_backslashes_is_not_removed() -> None:
    assert find_effects(r"Remove-Item src\assets,src\components -Recurse").removed == ()
    assert find_effects("Remove-Item 'src\\a.ts'").removed == ("src\\a.ts",)


def test_paths_are_in_the_folder_that_a_script_entered() -> None:
    effects = find_effects("cd /tmp && curl -s https://e.org > a.html && mv b c && cat d && cd src && touch e")
    assert effects.changed == ("/tmp/a.html", "e")
    assert effects.moved == (("/tmp/b", "/tmp/c"),)


def test_paths_of_windows_keep_their_backslashes() -> None:
    command = r"python c:\app\check.py > c:\app\result.txt 2>&1 & type c:\app\result.txt"
    assert find_effects(command).changed == (r"c:\app\result.txt",)
    assert find_effects(r"curl -sL 'http://localhost/' -o C:\app\out.html").changed == (r"C:\app\out.html",)
    assert find_effects(r"echo a > src\a.txt; echo b >b.txt").changed == ("b.txt",)


def test_the_current_and_the_parent_folder_are_no_files() -> None:
    effects = find_effects("cp a.py ..; cp b.py ./ && mv src/c.py .. && mv src/d.py . && rm ..")
    assert effects == FileEffects(("../a.py", "./b.py"), moved=(("src/c.py", "../c.py"), ("src/d.py", "./d.py")))


def test_names_are_relative_to_a_folder_of_the_home_that_the_script_enters() -> None:
    assert find_effects("cd ~/backups && \\\ncat > README.md << 'E'\nx\nE").changed == ("~/backups/README.md",)


CODEX = """\
*** Begin Patch
*** Update File: src/a.py
@@
-x
+y
*** Add File: src/new.py
+z
*** Delete File: src/old.py
*** Update File: src/from.py
*** Move to: src/to.py
@@
-q
*** End Patch"""
DIFF = "diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n--- a/gone.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"


def test_apply_patch() -> None:
    assert parse_patch(CODEX) == FileEffects(("src/a.py", "src/new.py"), ("src/old.py",), (("src/from.py", "src/to.py"),))


def test_diff() -> None:
    assert parse_patch(DIFF) == FileEffects(("x.c",), ("gone.c",))


def test_other_text() -> None:
    assert parse_patch("just words\n--- a rule\nmore") == FileEffects()
