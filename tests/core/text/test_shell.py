import os
import shlex
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.text.shell import format_name, join_words, quote, quote_path, quote_word
from tests.example_counts import count_examples

VISIBLE = st.text(alphabet="ab '\"\\$`!*?[]{}()<>|&;#~=%^-/.é漢\u3000", max_size=12)
NASTY = st.text(alphabet="ab '\"\\$`!*-0\n\t\r\x1b\x07\x7f\x9b\u202e\u2028\udcff\udce9é漢", max_size=12)
names = NASTY | st.binary(max_size=12).filter(lambda name: 0 not in name).map(os.fsdecode) | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)


def read_back(shell: str, words: list[str]) -> list[str]:
    script = f"printf '%s\\0' {join_words(words)}"
    assert len(script.split("\n")) == 1
    answer = subprocess.run([shell, "-c", os.fsencode(script)], capture_output=True, check=True).stdout
    return [os.fsdecode(word) for word in answer.split(b"\0")[:-1]]


@given(st.lists(VISIBLE, max_size=5))
def test_shlex_splits_what_was_joined(words) -> None:
    assert shlex.split(join_words(words)) == words


@given(names)
def test_a_quoted_name_is_one_line_that_a_terminal_shows_as_it_is(text) -> None:
    shown = quote(text)
    assert all(sign.isprintable() or (sign.isspace() and sign not in "\t\n\v\f\r\x85\u2028\u2029") for sign in shown)
    assert shown.startswith("$'") or shlex.split(shown) == [text]


@settings(max_examples=count_examples(20), deadline=None)
@given(st.lists(VISIBLE, min_size=1, max_size=5))
def test_any_shell_reads_visible_words_back(words) -> None:
    assert read_back("sh", words) == words


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@settings(max_examples=count_examples(50), deadline=None)
@given(st.lists(names, min_size=1, max_size=8))
def test_bash_reads_any_words_back(words) -> None:
    assert read_back("bash", words) == words


def test_the_empty_word_is_still_a_word() -> None:
    assert quote("") == "''"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("src/a.py", "src/a.py"), ("a b", "'a b'"), ("it's", "'it'\"'\"'s'"), ("$(x)", "'$(x)'"), ("=ls", "'=ls'"),
        ("a\nb", r"$'a\nb'"), ("\x1b[0m'\\", r"$'\033[0m\'\\'"), ("caf\udce9", r"$'caf\351'"), ("\u202ex", r"$'\342\200\256x'"),
    ],
)  # fmt: skip
def test_single_quotes_do_where_they_can(name: str, word: str) -> None:
    assert quote(name) == word



PASTE_SHELLS = [["dash", "-c"], ["bash", "-c"], ["zsh", "-fc"], ["fish", "--no-config", "-c"], ["busybox", "sh", "-c"]]
HOSTILE = [
    "x\n'; touch planted; #.py", "a\\'\"; touch planted; #", "b\\'; touch planted; #", "c'; touch planted; #\\", "=ls", "%self",
    "-rf", "$(touch planted)", "`touch planted`", "a b", "~", "*", "a;b", "x\u00ad'; touch planted; #", "\u3164", "{a,b}", "é漢", "!x",
]  # fmt: skip


@pytest.mark.parametrize("shell", PASTE_SHELLS, ids=lambda shell: shell[0])
@settings(max_examples=count_examples(20), deadline=None)
@given(drawn=st.lists(names, min_size=1, max_size=20))
def test_a_word_to_paste_is_the_name_in_each_shell(shell: list[str], drawn: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    if not shutil.which(shell[0]):
        pytest.skip(f"{shell[0]} is not installed")
    words = [(name, word) for name in [*HOSTILE, *drawn] if (word := quote_word(name))]
    script = "printf '%s\\n' " + " ".join(word for _, word in words)
    answer = subprocess.run([*shell, script], capture_output=True, check=True, cwd=tmp_path_factory.getbasetemp())
    assert answer.stdout.decode().split("\n")[:-1] == [name for name, _ in words]


@pytest.mark.parametrize("name", ["x\ny", "it's", 'a"b', "a\\b", "a`b", "a\u200bb", "caf\udce9", "\u3164", "a\u00a0b", ""])
def test_a_name_that_shells_read_differently_is_no_word_to_paste(name: str) -> None:
    assert quote_path(name) == ""


def test_a_name_that_is_no_word_to_paste_is_shown_escaped() -> None:
    assert format_name("x\n'; touch planted; #.py") == "\"x\\n'; touch planted; #.py\""
    assert format_name("a b") == "'a b'"


def test_a_path_to_paste_is_never_taken_for_an_option() -> None:
    assert (quote_path("-rf"), quote_path("-a b"), quote_path("--x.py")) == ("./-rf", "'./-a b'", "./--x.py")
