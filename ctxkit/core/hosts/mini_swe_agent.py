"""mini-swe-agent: a module with an environment, commands with the wrapping script in front."""

import json
from functools import partial

from ctxkit.core.hosts.host import Host, HostTool, SettingsPlace
from ctxkit.core.hosts.mcp_server import MARK, OwnedFile, find_no_rivals, make_rewrite, read_event
from ctxkit.core.hosts.wrap_script import HOOK, make_wrapping_scripts

MODULE = '''\
# {mark}mini-swe-agent. Remove it with "ctxkit init mini-swe-agent --remove".
"""An environment of mini-swe-agent whose commands run through ctxkit."""

import json
import subprocess

from minisweagent.environments.local import LocalEnvironment

HOOK = {hook}


def rewrite(command):
    """Return the command that runs instead: the same one if it submits, or if the hook is gone or fails."""
    if "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" in command:
        return command
    event = json.dumps({{"tool": "bash", "input": {{"command": command}}}})
    try:
        done = subprocess.run([HOOK], input=event, capture_output=True, text=True, timeout=5)
        return str(json.loads(done.stdout)["command"])
    except Exception:
        return command


class CtxkitEnvironment(LocalEnvironment):
    """The local environment, with maps instead of long output."""

    def execute(self, action, *args, **kwargs):
        """Run a command."""
        if isinstance(action.get("command"), str):
            action = {{**action, "command": rewrite(action["command"])}}
        return super().execute(action, *args, **kwargs)
'''


FILE = OwnedFile(
    lambda directory: MODULE.format(mark=MARK, hook=json.dumps(f"{directory}/{HOOK}")),
    lambda directory: json.dumps(f"{directory}/{HOOK}"),
)

HOST = Host(
    name="mini-swe-agent",
    title="mini-swe-agent",
    program="mini",
    settings={
        "user": SettingsPlace(
            "ctxkit_environment.py", default=".config/mini-swe-agent", variable="MSWEA_GLOBAL_CONFIG_DIR"
        )
    },
    make_scripts=partial(make_wrapping_scripts, "mini-swe-agent"),
    install=FILE.install,
    remove=FILE.remove,
    is_installed=FILE.is_installed,
    read_event=read_event,
    make_rewrite=make_rewrite,
    without_scripts="mini-swe-agent runs its commands without ctxkit",
    find_rivals=find_no_rivals,
    start="PYTHONPATH={directory} mini --environment-class ctxkit_environment.CtxkitEnvironment",
    tools=(
        HostTool("bash", "a script in front of its command", "all but the command that submits", "2.4.6"),
    ),
)
