import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.shell import FileEffects, find_effects, parse_patch
from ctxkit.core.text.shell import join_words


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
