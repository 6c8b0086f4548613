"""opencode: a plugin, commands with the wrapping script in front."""

import json

from ctxkit.core.hosts.hook_script import HOOK
from ctxkit.core.hosts.host import Host, Programs, SettingsPlace, make_no_answer
from ctxkit.core.hosts.mcp_server import make_json_settings
from ctxkit.core.hosts.owned_file import find_no_rivals, install_file, remove_file
from ctxkit.core.hosts.plugin import make_plugin, make_rewrite, read_event
from ctxkit.core.hosts.wrap_script import make_wrapping_scripts

BODY = """\
export const Ctxkit = async () => ({
  "tool.execute.before": async (input, output) => {
    if (input.tool !== "bash" || typeof output?.args?.command !== "string") return
    output.args.command = await rewrite(output.args.command)
  },
})
"""


def make_scripts(directory: str, programs: Programs) -> dict[str, str]:
    """Return the scripts by path."""
    return make_wrapping_scripts("opencode", directory, *programs)


def install(text: str, directory: str) -> str:
    """Return the file; raise ConflictError if another program wrote the one that is there."""
    return install_file(text, make_plugin("opencode", directory, BODY))


def remove(text: str, directory: str) -> str | None:
    """Return None if the file belongs to ctxkit, else its text."""
    return remove_file(text, json.dumps(f"{directory}/{HOOK}"))


def is_installed(text: str, directory: str) -> bool:
    """Return whether the file calls the hook."""
    return remove(text, directory) is None


HOST = Host(
    name="opencode",
    title="opencode",
    program="opencode",
    settings={"user": SettingsPlace("opencode/plugins/ctxkit.js", default=".config", variable="XDG_CONFIG_HOME")},
    make_scripts=make_scripts,
    install=install,
    remove=remove,
    is_installed=is_installed,
    read_event=read_event,
    make_rewrite=make_rewrite,
    make_resumption=make_no_answer,
    without_scripts="opencode runs its commands without ctxkit",
    find_rivals=find_no_rivals,
    mcp=make_json_settings(
        {"user": SettingsPlace("opencode/opencode.json", default=".config", variable="XDG_CONFIG_HOME")},
        key="mcp",
        make_command=lambda program: [program],
        rest={"type": "local", "enabled": True},
    ),
)
