import subprocess

from ctxkit.core.hosts.hook_script import make_hook_command, make_hook_script


def test_a_hook_is_shell_and_does_nothing_if_its_programs_are_gone() -> None:
    hook = make_hook_script("codex", "/a b/ctxkit", "/a/python")
    assert '    "$ctxkit" hook codex\n' in hook
    done = subprocess.run(["sh"], input=hook.encode(), capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert subprocess.run(["sh", "-c", make_hook_command("/no such")]).returncode == 0
