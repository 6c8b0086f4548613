"""Commands are found wherever a script runs them."""

import pytest

from ctxkit.app.services.engines import parse_script
from ctxkit.core.text.shell_commands import MAX_DEPTH, WRAPPERS, ShellCommand, may_run, may_script_run

EVADING = [
    "cat s",
    "if cat s; then :; fi",
    "while cat s; do break; done",
    "until cat s; do :; done",
    "if false; then :; elif cat s; then :; fi",
    "nice -n 5 cat s",
    "env -u A cat s",
    "echo s | xargs cat",
    'eval "cat s"',
    "find . -name s -exec cat {} \\;",
    'echo "$(cat $(echo s))"',
    'echo "$(cat s; (true))"',
    "A=1 cat s",
    'c"a"t s',
    "'cat' s",
    "\\cat s",
    "/bin/cat s",
    "cat<s",
    "{ cat s; }",
    "( cat s )",
    "! cat s",
    "time cat s",
    "case x in x) cat s;; esac",
    'for f in s; do cat "$f"; done',
    "select f in s; do cat $f; break; done",
    "f() { cat s; }; f",
    "function f { cat s; }; f",
    "true && cat s",
    "false || cat s",
    "cat s &",
    "coproc cat s",
    "diff <(cat s) x",
    "x=$(cat s)",
    "x=`cat s`",
    "declare x=$(cat s)",
    "a=($(cat s))",
    'echo "${x:-$(cat s)}"',
    "[[ $(cat s) ]]",
    "echo $(( $(cat s) + 1 ))",
    "trap 'cat s' EXIT",
    "bash -c 'cat s'",
    'bash -lc "cat s"',
    "bash -euo pipefail -c 'cat s'",
    "bash -c -- 'cat s'",
    "sh <<< 'cat s'",
    "bash <<EOF\ncat s\nEOF",
    "echo 'cat s' | sh",
    "sudo -u me cat s",
    "sudo -- cat s",
    "timeout -k 1 5 cat s",
    "stdbuf -o L cat s",
    "exec cat s",
    "command cat s",
    "builtin command cat s",
    "nohup setsid cat s",
    "watch -n 1 cat s",
    "script -c 'cat s' /dev/null",
    "su - me -c 'cat s'",
    "flock /tmp/l cat s",
    "flock /tmp/l -c 'cat s'",
    "env -S 'cat s'",
    "busybox cat s",
    "$CMD s",
    "$(echo cat) s",
    '"$x" s',
    'eval "$x"',
    'source "$f"',
    "xargs $CMD",
    "find . -exec sh -c 'cat \"$1\"' _ {} \\;",
    "fd . -x cat",
    "ctxkit run -- cat s",
    "ctxkit run --limit 90 -- sh -c 'cat s'",
    "echo x | while read l; do cat s; done",
    "$'cat' s",
    "$'\\143at' s",
    "cat s > /dev/null 2>&1",
    "time -p nice cat s",
    "parallel cat ::: s",
    "xargs -I {} cat {}",
    "eval cat s",
    "ionice -c 3 cat s",
    "taskset 1 cat s",
    "unshare -r cat s",
]
"""Scripts that run cat, or may run it."""
HARMLESS = [
    "echo cat s",
    "printf 'cat s\\n'",
    'git commit -m "cat s"',
    "sed -n p s",
    "grep cat s",
    "make cat",
    "./cat.sh",
    'echo "the cat sat"',
    "ls cat",
    "for cat in a b; do echo $cat; done",
    "cat=1; echo $cat",
    "head -c 10 s",
    "tee f <<EOF\ncat s\nEOF",
    "git log --oneline | head",
    "python -c 'cat(s)'",
    'python3 x.py "$ARG"',
    "npm run cat",
    "docker run -p 8080:80 app",
    'cd "$DIR" && make test',
    'echo "$x"',
    "test -f s && echo yes",
    '[ -n "$x" ] && ls',
    "[[ $x == cat* ]] && ls",
    "find . -name 'cat*'",
    "find . -name cat -print",
    "find . -exec grep cat {} \\;",
    "xargs grep cat",
    "xargs",
    "echo s | xargs -n 1 echo cat",
    "nice -n 5 make",
    "env A=cat make",
    "sudo apt-get install cat-tools",
    "timeout 5 make cat",
    "source ./env.sh",
    ". ./env.sh",
    "source env.sh cat",
    "bash script.sh cat",
    "bash ./x.sh",
    "sh -c 'echo cat'",
    "bash -lc 'make cat'",
    'eval "echo cat"',
    "trap - EXIT",
    "trap 'rm -f tmp' EXIT",
    "function cats { ls; }; cats",
    "case $x in cat) ls;; esac",
    'if [ "$x" = cat ]; then ls; fi',
    'while read -r line; do echo "$line"; done < s',
    "ls | wc -l",
    "awk '{print $1}' s",
    "echo $(ls cat)",
    'x=$(date); echo "$x"',
    "concat s",
    "cats s",
    "catalog s",
    "curl https://x/cat",
    "git diff -- cat",
    "kubectl get pods -o yaml",
    "kubectl get pods | grep cat",
    'export PATH="$HOME/bin:$PATH"; make',
    'rg -n "cat " src',
    "pytest -k cat",
    "cargo test cat",
    "go test ./... -run cat",
    "jq '.cat' s",
    'test "$(ls)" = cat',
]
"""Scripts that do not run cat."""


@pytest.mark.parametrize("script", EVADING)
def test_a_script_that_may_run_the_command_matches(script: str) -> None:
    assert may_script_run(script, ["cat"], parse_script)
    assert may_script_run(f"make; {script}\necho", ["cat"], parse_script)


@pytest.mark.parametrize("script", HARMLESS)
def test_a_script_that_only_names_the_word_does_not(script: str) -> None:
    assert not may_script_run(script, ["cat"], parse_script)


@pytest.mark.parametrize(
    ("words", "patterns", "is_match"),
    [
        (["cat", "s"], ["cat"], True), (["cat", "s"], [], False), ([], ["cat"], False), (["git", "log"], ["git diff"], False),
        (["sh", "-c", "git $X"], ["git diff"], True), (["sh", "-c", "git log $X"], ["git diff"], False),
        (["sh", "-c", "aws $X"], ["aws secrets *"], True), (["sh", "-c", "aws s3 ls"], ["aws secrets *"], False),
    ],
)  # fmt: skip
def test_an_unknown_argument_may_be_any(words: list[str], patterns: list[str], is_match: bool) -> None:
    assert may_run(words, patterns, parse_script) is is_match


def test_a_script_that_cannot_be_parsed_or_is_too_deep_matches() -> None:
    assert may_script_run("make", ["cat"], lambda script: None)
    assert may_run(["nohup"] * (MAX_DEPTH + 2), ["cat"], parse_script)
    assert not may_run(["nohup"] * MAX_DEPTH, ["cat"], lambda script: [ShellCommand(("ls",))])


def test_each_wrapper_runs_what_stands_behind_it() -> None:
    assert {"sudo", "env", "xargs", "sh"} <= WRAPPERS.keys()
