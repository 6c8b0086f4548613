import os
import shlex
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.text.shell import join_words, quote, quote_path
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


def test_a_path_is_never_taken_for_an_option() -> None:
    assert quote_path("-rf") == "./-rf"
    assert quote_path("-a b\n") == r"$'./-a b\n'"
