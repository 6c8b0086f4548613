import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.shell import join_words
from ctxkit.core.text.shell_script import split_commands

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
