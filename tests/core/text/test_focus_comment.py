import pytest

from ctxkit.app.services.engines import list_comments
from ctxkit.core.text.focus_comment import MAX_FOCUS, NO_FOCUS, find_focus_comment


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
