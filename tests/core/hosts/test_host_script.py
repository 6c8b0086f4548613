import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.host_script import find_command, is_disabled, remove_switch, replace_command
from ctxkit.core.hosts.wrap_script import make_source_command

BEFORE = r"source /home/u/.claude/shell-snapshots/snapshot-bash-1-x.sh 2>/dev/null || true && { \builtin shopt -u extglob; } && "


@given(st.text(max_size=40), st.booleans())
def test_the_command_in_a_script_of_claude_code_is_what_the_model_typed(text: str, has_stdin: bool) -> None:
    quoted = "'" + text.replace("'", "'\"'\"'") + "'"
    assert shlex.split(quoted) == [text]
    script = f"{BEFORE}eval {quoted}{' < /dev/null' if has_stdin else ''} && pwd -P >| /tmp/claude-95a0-cwd"
    assert find_command(script) == text


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))), st.text(max_size=40))
def test_the_command_behind_a_sourced_script_is_what_the_model_typed(path: str, text: str) -> None:
    source = make_source_command(f"/{path}")
    assert find_command(f"{source}{text}") == text
    gemini = f"shopt -u x\n(\n  trap 'jobs -p' EXIT\n{source}{text}\n)\n__code=$?\nexit $__code"
    assert find_command(gemini) == text


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_command_of_a_host_is_replaced_where_it_stands(text: str, other: str) -> None:
    gemini = "\n)\n__code=$?\nexit $__code"
    for begin, end, quotes in (
        (f"{BEFORE}eval '", "' < /dev/null && pwd -P >| /tmp/claude-95a0-cwd", True),
        (make_source_command("/a b/wrap.sh"), "", False),
        (f"(\n{make_source_command('/wrap.sh')}", gemini, False),
        ("", "", False),
    ):
        before, after = (word.replace("'", "'\"'\"'") if quotes else word for word in (text, other))
        if quotes or begin or find_command(text) == text:
            assert replace_command(f"{begin}{before}{end}", lambda typed: other if typed == text else "") == (
                f"{begin}{after}{end}"
            )


@pytest.mark.parametrize("script", ["make test", "eval 'x'", "pwd -P >| /tmp/x", "eval 'a' && pwd -P >| /tmp/x; rm y", ""])
def test_another_script_is_its_own_command(script: str) -> None:
    assert find_command(script) == script


@pytest.mark.parametrize(
    ("command", "is_off"),
    [
        ("CTXKIT_DISABLE=1 git log", True),
        (" LC_ALL=C CTXKIT_DISABLE=true git log", True),
        ("export CTXKIT_DISABLE=1; git log", True),
        ("CTXKIT_DISABLE=0 git log", False),
        ("CTXKIT_DISABLE= git log", False),
        ("CTXKIT_DISABLE=false git log", False),
        ("CTXKIT_DISABLE='No' git log", False),
        ("export CTXKIT_DISABLE=0; git log", False),
        ("CTXKIT_DISABLE=", False),
        ('CTXKIT_DISABLE="1" git log', True),
        ("git log # CTXKIT_DISABLE=1", False),
        ("", False),
    ],
)
def test_an_assignment_before_a_command_turns_ctxkit_off(command: str, is_off: bool) -> None:
    assert is_disabled(command) is is_off


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("CTXKIT_DISABLE=1 make -k", "make -k"),
        ("A=1 CTXKIT_DISABLE='yes' make", "make"),
        ("export CTXKIT_DISABLE=1; make", "make"),
        ("export CTXKIT_DISABLE=1 && make", "make"),
        ("make CTXKIT_DISABLE=1", "make CTXKIT_DISABLE=1"),
    ],
)
def test_the_switch_is_removed_from_the_beginning(command: str, rest: str) -> None:
    assert remove_switch(command) == rest
