import shlex
import subprocess

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.shell import joined, quoted

NASTY = st.text(alphabet="ab '\"\\$`!*?[]{}()<>|&;#~=%^-\n\t/.é漢", max_size=12)


@given(st.lists(NASTY, max_size=5))
def test_shlex_splits_what_was_joined(words):
    assert shlex.split(joined(words)) == words


@given(st.text(max_size=12))
def test_a_word_is_quoted_only_where_shlex_would(text):
    assert shlex.split(quoted(text)) == [text]
    assert len(quoted(text)) <= len(shlex.quote(text))


@settings(max_examples=20, deadline=None)
@given(st.lists(NASTY, min_size=1, max_size=5))
def test_a_real_shell_reads_the_words_back(words):
    script = f"printf '%s\\0' {joined(words)}"
    answer = subprocess.run(["sh", "-c", script], capture_output=True, check=True).stdout
    assert answer.decode().split("\0")[:-1] == words


def test_the_empty_word_is_still_a_word():
    assert quoted("") == "''"
