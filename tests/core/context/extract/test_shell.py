import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.shell import Effects, effects, simple_commands
from ctxkit.core.shell import joined


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("echo hi > out.txt", Effects(("out.txt",))),
        ("make 2>&1 | tee build.log >/dev/null", Effects(("build.log",))),
        ("cat <<'EOF' > src/a.py\nx > y\nEOF\nrm b.py", Effects(("src/a.py",), ("b.py",))),
        ("cat >> notes.md <<EOF\nrm x\nEOF", Effects(("notes.md",))),
        ("sed -i 's/a/b/' one.py two.py", Effects(("one.py", "two.py"))),
        ("sed -i '' 's/a > b/c/g' one.py", Effects(("one.py",))),
        ("sed -i -e 's/a/b/' -e 's/c/d/' one.py", Effects(("one.py",))),
        ("sed -n 1,5p one.py", Effects()),
        ("perl -pi -e 's/a/b/' one.pl", Effects(("one.pl",))),
        ("git mv old.py new.py && git rm -f gone.py", Effects((), ("gone.py",), (("old.py", "new.py"),))),
        ("mv a.txt b.txt dir/", Effects((), (), (("a.txt", "dir/"), ("b.txt", "dir/")))),
        ("git rm --cached kept.py", Effects()),
        ("cp a.py 'my file.py'", Effects(("my file.py",))),
        ("sudo FOO=1 touch a b; rm -rf build", Effects(("a", "b"), ("build",))),
        ("cd src && cat main.py", Effects(read=("main.py",))),
        ("rm *.o $OUT", Effects()),
        ("curl -o x.tgz https://e.org/x.tgz", Effects(("x.tgz",))),
        ("python - <<'PY'\nopen('a','w')\nPY", Effects()),
        ("if [ 3 -gt 2 ]; then echo x > y.txt; fi", Effects(("y.txt",))),
        ("grep -rn 'a > b' src 2>/dev/null", Effects()),
        ("echo \"a > b\" # > c", Effects()),
        ("ls | xargs rm", Effects()),
        ("timeout 20 sed -i s/a/b/ z.py", Effects(("z.py",))),
        ("", Effects()),
    ],
)
def test_effects(command, made):
    assert effects(command) == made


@given(st.text(alphabet="ab >|&;<'\"$()\\\n#=EOF-", max_size=40))
def test_any_text_is_read(text):
    effects(text)


@given(st.lists(st.text(alphabet="ab >|&;'\"$*#é", min_size=1, max_size=6), min_size=1, max_size=4))
def test_quoted_words_are_only_words(words):
    line = joined(["echo", *words])
    assert effects(line) == Effects()
    assert [len(found) for found, _ in simple_commands(line)] == [len(words) + 1]
