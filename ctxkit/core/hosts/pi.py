"""pi: an extension, commands with the wrapping script in front."""

import json

from ctxkit.core.hosts.hook_script import HOOK
from ctxkit.core.hosts.host import OTHER_TOOLS, Host, HostTool, Programs, SettingsPlace
from ctxkit.core.hosts.owned_file import OwnedFile, find_no_rivals
from ctxkit.core.hosts.plugin import make_plugin, make_rewrite, make_summary, read_event
from ctxkit.core.hosts.wrap_script import make_wrapping_scripts

BODY = """\
export default function (pi) {
  pi.on("tool_call", async (event) => {
    if (event.toolName !== "bash" || typeof event.input?.command !== "string") return
    event.input.command = await rewrite(event.input.command)
  })
  pi.on("session_before_compact", async (event, ctx) => {
    const session = ctx.sessionManager?.getSessionId?.()
    const transcript = ctx.sessionManager?.getSessionFile?.()
    if (!session || !transcript || event.customInstructions) return
    const { summary } = await ask({ compaction: { session, transcript } }, 10000)
    if (typeof summary !== "string" || !summary) return
    const { firstKeptEntryId, tokensBefore } = event.preparation
    return { compaction: { summary, firstKeptEntryId, tokensBefore } }
  })
}
"""


def make_scripts(directory: str, programs: Programs) -> dict[str, str]:
    """Return the scripts by path."""
    return make_wrapping_scripts("pi", directory, *programs)


FILE = OwnedFile(
    lambda directory: make_plugin("pi", directory, BODY),
    lambda directory: json.dumps(f"{directory}/{HOOK}"),
)

HOST = Host(
    name="pi",
    title="pi",
    program="pi",
    settings={"user": SettingsPlace("extensions/ctxkit.js", default=".pi/agent", variable="PI_CODING_AGENT_DIR")},
    make_scripts=make_scripts,
    install=FILE.install,
    remove=FILE.remove,
    is_installed=FILE.is_installed,
    read_event=read_event,
    make_rewrite=make_rewrite,
    make_summary=make_summary,
    without_scripts="pi runs its commands without ctxkit",
    find_rivals=find_no_rivals,
    tools=(
        HostTool("bash", "a script in front of its command", seen="0.87.1"),
        HostTool(OTHER_TOOLS, note="`tool_result` is not used"),
    ),
)
