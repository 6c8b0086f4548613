import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.app.services.engines import parse_script
from ctxkit.core.hosts.interactive_commands import is_interactive

INTERACTIVE = [
    "git rebase -i; vim x",
    "less README.md",
    "watch -n1 date",
    "top",
    "sudo top",
    "gdb ./a.out core",
    "bash -c 'nano x'",
    "python3",
    "cd x && node",
    "ssh host",
    "ssh -p 22 -i key user@host",
    "screen",
]
PLAIN = [
    "",
    "npm run dev",
    "npx vite build",
    "tail -f log",
    "server > log 2>&1 & echo $!",
    "top -b -n 1",
    "top -bn1",
    "gdb -batch -ex bt app core",
    "lldb --batch -o bt app",
    "emacs --batch -f x",
    "vim -es -c 's/a/b/' -c x f",
    "cat > x <<'EOF'\nvim\nless a\nEOF\nseq 3",
    "cat <<EOF >/dev/null\nvim\nEOF",
    "echo 'vim x; less y'",
    "git commit -m 'top'",
    "grep -rn vim .",
    "python3 app.py",
    "python3 <<'EOF'\nprint(1)\nEOF",
    "echo 'print(1)' | python3",
    "bash script.sh",
    "curl -s x | bash",
    "ssh host uptime",
    "ssh -p 22 host uptime",
    "ssh -N -L 1:x:2 host",
    "ssh host <<EOF\nuptime\nEOF",
    "tmux new-session -d 'make'",
    "$EDITOR top",
]


@pytest.mark.parametrize("script", INTERACTIVE)
def test_a_program_that_needs_a_terminal_is_interactive(script: str) -> None:
    assert is_interactive(script, parse_script)


@pytest.mark.parametrize("script", PLAIN)
def test_other_programs_and_data_are_not_interactive(script: str) -> None:
    assert not is_interactive(script, parse_script)


@given(st.text(alphabet="ab vitop-f&|;'\"$()<\n", max_size=30))
def test_any_script_has_an_answer(script: str) -> None:
    assert is_interactive(script, parse_script) in (True, False)
