"""pi: an extension, commands with the wrapping script in front."""

import json
from functools import partial

from ctxkit.core.hosts.host import OTHER_TOOLS, Host, HostTool, SettingsPlace
from ctxkit.core.hosts.mcp_server import (
    OwnedFile,
    find_no_rivals,
    make_plugin,
    make_result,
    make_rewrite,
    make_summary,
    read_event,
)
from ctxkit.core.hosts.wrap_script import HOOK, make_wrapping_scripts
from ctxkit.core.models.offers import LONG_CACHE, SHORT_CACHE
from ctxkit.core.tokens.budget import COMPACT_TRIGGER, LOW_WATER, find_cold_trigger

WINDOW_SHARE = 0.8
"""Share of a window that is left with the default reserve: pi states the used tokens as a share of the whole window."""
BODY = """\
// Tools whose results stay: the script in front of a command has gated its output, and files may be edited.
const kept = ["bash", "read", "edit", "write"]

// Return whether the provider has a conversation no longer in its cache: its last writes say how long it is there.
const isCold = (entries) => {
  const answer = entries.findLast(({ message }) => message?.role === "assistant" && message.usage)?.message
  const { cacheWrite = 0, cacheWrite1h = 0 } = answer?.usage ?? {}
  const seconds = cacheWrite1h > 0 ? LONG_CACHE : cacheWrite > 0 ? SHORT_CACHE : 0
  return seconds > 0 && answer.timestamp + seconds * 1000 <= Date.now()
}

export default function (pi) {
  let isCheap = false
  pi.on("input", async (_event, ctx) => {
    try {
      const percent = ctx.getContextUsage?.()?.percent ?? 0
      if (percent < COLD_PERCENT || !ctx.isIdle() || !isCold(ctx.sessionManager.getBranch())) return
      isCheap = true
      await new Promise((resolve) => ctx.compact({ onComplete: resolve, onError: resolve }))
    } catch {
    } finally {
      isCheap = false
    }
  })
  pi.on("tool_call", async (event) => {
    if (event.toolName !== "bash" || typeof event.input?.command !== "string") return
    event.input.command = await rewrite(event.input.command)
  })
  pi.on("tool_result", async (event, ctx) => {
    if (event.isError || kept.includes(event.toolName) || !Array.isArray(event.content)) return
    const session = ctx.sessionManager?.getSessionId?.()
    if (!session) return
    const { blocks } = await ask({ result: { session, tool: event.toolName, blocks: event.content } }, 5000)
    if (Array.isArray(blocks)) return { content: blocks }
  })
  pi.on("session_before_compact", async (event, ctx) => {
    const session = ctx.sessionManager?.getSessionId?.()
    const transcript = ctx.sessionManager?.getSessionFile?.()
    if (!session || !transcript || event.customInstructions) return
    const { summary } = await ask({ compaction: { session, transcript } }, 10000)
    if (typeof summary !== "string" || !summary) return isCheap ? { cancel: true } : undefined
    const { firstKeptEntryId, tokensBefore } = event.preparation
    return { compaction: { summary, firstKeptEntryId, tokensBefore } }
  })
}
"""


def make_body() -> str:
    """Return the extension: it compacts before a prompt if the cache is cold, at a lower share of the window."""
    percent = round(find_cold_trigger(COMPACT_TRIGGER, LOW_WATER) * WINDOW_SHARE * 100)
    body = BODY.replace("COLD_PERCENT", str(percent))
    return body.replace("LONG_CACHE", str(LONG_CACHE)).replace("SHORT_CACHE", str(SHORT_CACHE))


FILE = OwnedFile(
    lambda directory: make_plugin("pi", directory, make_body()),
    lambda directory: json.dumps(f"{directory}/{HOOK}"),
)

HOST = Host(
    name="pi",
    title="pi",
    program="pi",
    settings={"user": SettingsPlace("extensions/ctxkit.js", default=".pi/agent", variable="PI_CODING_AGENT_DIR")},
    make_scripts=partial(make_wrapping_scripts, "pi"),
    install=FILE.install,
    remove=FILE.remove,
    is_installed=FILE.is_installed,
    read_event=read_event,
    make_rewrite=make_rewrite,
    make_summary=make_summary,
    make_result=make_result,
    without_scripts="pi runs its commands without ctxkit",
    find_rivals=find_no_rivals,
    tools=(
        HostTool("bash", "a script in front of its command", seen="0.87.1"),
        HostTool("ls", "`tool_result`", seen="0.87.1"),
        HostTool("read, edit, write", note="files may be edited"),
        HostTool(OTHER_TOOLS, "`tool_result`", "text, such as that of grep and find"),
    ),
)
