import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.app.services.engines import list_comments
from ctxkit.core.text.shell import join_words
from ctxkit.core.text.shell_script import MAX_FOCUS, NO_FOCUS, find_focus_comment, matches_command, split_commands

Words = list[str]


@pytest.mark.parametrize(
    ("script", "commands"),
    [
        ("", []),
        ("cd src && make -j2 | tee log", [(["cd", "src"], []), (["make", "-j2"], []), (["tee", "log"], [])]),
        ("A=1 sudo -n env B=2 nice make", [(["make"], [])]),
        ("timeout -k 5 30 cargo test", [(["cargo", "test"], [])]),
        ("echo 'a;b' > out.txt 2>&1", [(["echo", "a;b"], ["out.txt"])]),
        ("cat <<EOF\nrm x\nEOF\nls", [(["cat"], []), (["ls"], [])]),
        ("# rm x\nls", [(["ls"], [])]),
        ("sort <in >out; A=<home>/b <repo>/bin/c > <d>/e", [(["sort"], ["out"]), (["<repo>/bin/c"], ["<d>/e"])]),
        (
            "git commit -m \"$(cat <<'EOF'\nThe \"old\" way: <repo> and more\nEOF\n)\" && ls > a",
            [(["git", "commit", "-m", "…"], []), (["ls"], ["a"])],
        ),
        ("$b = @'\nIt's lost -> NO RECORD.\n'@\nls", [(["$b", "=", "…"], []), (["ls"], [])]),
        ("echo $(cat <<EOF\nb > c", [(["echo", "$"], []), (["cat"], [])]),
    ],
)
def test_a_script_is_split_into_its_commands(script: str, commands: list[tuple[Words, Words]]) -> None:
    assert list(split_commands(script)) == commands


@given(st.text(alphabet="ab >|&;<'\"$()\\\n#=EOF-", max_size=40))
def test_any_text_is_split(text: str) -> None:
    for words, outs in split_commands(text):
        assert all(set(word) <= set(text) for word in (*words, *outs))


@given(st.lists(st.text(alphabet="ab >|&;'\"$*#é", min_size=1, max_size=6), min_size=1, max_size=4))
def test_quoted_words_are_only_words(words: Words) -> None:
    assert [len(command) for command, _ in split_commands(join_words(["echo", *words]))] == [len(words) + 1]


PATTERNS = ["aws secretsmanager *", "vault read *", "pass", "*kubectl get secret*", "git  diff"]


@pytest.mark.parametrize(
    ("words", "is_match"),
    [
        (["aws", "secretsmanager", "get-secret-value", "--secret-id", "x"], True),
        (["/usr/local/bin/aws", "secretsmanager", "list"], True),
        (["pass"], True),
        (["pass", "show", "x"], True),
        (["/usr/bin/pass", "show"], True),
        (["passwd"], False),
        (["git", "diff", "--stat"], True),
        (["git", "difftool"], False),
        (["git", "log"], False),
        (["echo", "git", "diff"], False),
        (["aws", "s3", "ls"], False),
        (["AWS", "secretsmanager", "list"], False),
        (["sh", "-c", "aws secretsmanager list"], True),
        (["/bin/bash", "-lc", "cd x && LC_ALL=C git diff | head"], True),
        (["bash", "--norc", "-c", "pass"], True),
        (["bash", "script.sh", "-c", "pass"], False),
        (["bash", "--c", "pass"], False),
        (["python", "-c", "pass"], False),
        (["sh", "-c", "echo 'git diff'"], False),
        (["sh", "-c", "cd x\nkubectl get secret y -o yaml"], True),
        (["sh", "-c"], False),
        ([""], False),
        ([], False),
    ],
)
def test_a_pattern_names_commands(words: list[str], is_match: bool) -> None:
    assert matches_command(words, PATTERNS) is is_match


def test_without_patterns_nothing_matches() -> None:
    assert not matches_command(["aws", "secretsmanager", "list"], [])
    assert not matches_command(["x"], ["", " "])


@given(st.lists(st.text(max_size=8), max_size=5), st.lists(st.text(max_size=8), max_size=3))
def test_any_words_and_patterns_are_compared(words: list[str], patterns: list[str]) -> None:
    assert matches_command(words, patterns) in (True, False)
    if words and words[0].split() == [words[0]] and not set(words[0]) & set("*?[/"):
        assert matches_command(words, [words[0]])


@pytest.mark.parametrize(
    ("script", "focus"),
    [
        ("make test # focus: which test leaks the socket", "which test leaks the socket"),
        ("make test #focus:leak", "leak"),
        ("make test # Focus:  a  b  ", "a  b"),
        ("cd a && make test 2>&1 | tail -3 # focus: leak", "leak"),
        ("make # focus: one\nmake test # focus: two\necho done", "two"),
        ("f() {\n  make # focus: inner\n}; f", "inner"),
        ("make test # says focus: none", ""),
        ("make test # focus:", ""),
        ("echo '# focus: quoted'", ""),
        ('echo "x # focus: quoted"', ""),
        ("echo a#focus: b", ""),
        ("cat <<'END'\n# focus: of a document\nEND", ""),
        ("python - <<END\nx = 1  # focus: of a document\nEND\n", ""),
        ("cat <<END # focus: leak\n# focus: of a document\nEND\n", "leak"),
        ("", ""),
    ],
)
def test_only_a_comment_of_the_script_states_a_focus(script: str, focus: str) -> None:
    assert find_focus_comment(script, list_comments).focus == focus


def test_the_script_is_parsed_only_if_it_may_state_a_focus() -> None:
    def refuse(script: str) -> list[str]:
        raise AssertionError(script)

    assert find_focus_comment("make test # all of it", refuse) is NO_FOCUS


@pytest.mark.parametrize(
    ("script", "title"),
    [
        ("make test # focus: leak\n", "make test"),
        ("make # focus: leak\necho b", "make # focus: leak\necho b"),
        ("make test", "make test"),
    ],
)
def test_a_title_need_not_end_with_the_focus(script: str, title: str) -> None:
    assert find_focus_comment(script, list_comments).remove_from(script) == title


def test_a_long_focus_is_cut() -> None:
    assert len(find_focus_comment(f"a # focus: {'word ' * 1000}", list_comments).focus) == MAX_FOCUS
