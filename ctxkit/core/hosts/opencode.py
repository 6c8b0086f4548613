"""opencode: a plugin, commands with the wrapping script in front."""

import json
from functools import partial

from ctxkit.core.hosts.host import OTHER_TOOLS, SERVER_TOOLS, Host, HostTool, SettingsPlace
from ctxkit.core.hosts.mcp_server import (
    OwnedFile,
    find_no_rivals,
    make_json_settings,
    make_plugin,
    make_result,
    make_rewrite,
    make_summary,
    read_event,
)
from ctxkit.core.hosts.wrap_script import HOOK, make_wrapping_scripts

IMPORTS = """\
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
"""
BODY = """\
// Tools of opencode whose text a map may replace: what they return is not edited.
const gated = ["glob", "grep", "list", "task", "webfetch"]

// Return the facts of a session, "" without any: its messages are in a file while the hook reads them.
const summarize = async (session, messages) => {
  const folder = await mkdtemp(join(tmpdir(), "ctxkit-"))
  try {
    const transcript = join(folder, "messages.json")
    await writeFile(transcript, JSON.stringify(messages), { mode: 0o600 })
    const { summary } = await ask({ compaction: { session, transcript } }, 10000)
    return typeof summary === "string" ? summary : ""
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

// Return messages without the request for a summary at their end, which hides those before it.
const withoutRequest = (messages) => {
  const isRequest = ({ parts }) => parts?.some((part) => part.type === "compaction")
  const place = messages.findLastIndex(isRequest)
  const isAnswered = messages.slice(place + 1).some(({ info }) => info?.time?.completed)
  return place < 0 || isAnswered ? messages : messages.slice(0, place)
}

export const Ctxkit = async ({ client } = {}) => {
  const summaries = new Map()
  return {
    "tool.execute.before": async (input, output) => {
      if (input.tool !== "bash" || typeof output?.args?.command !== "string") return
      output.args.command = await rewrite(output.args.command)
    },
    "tool.execute.after": async (input, output) => {
      const { sessionID: session, tool } = input
      if (Array.isArray(output?.content) && !tool.startsWith("ctxkit_")) {
        const { blocks } = await ask({ result: { session, tool, blocks: output.content } }, 5000)
        if (Array.isArray(blocks)) output.content = blocks
      } else if (gated.includes(tool) && typeof output?.output === "string") {
        const text = { type: "text", text: output.output }
        const { blocks } = await ask({ result: { session, tool, blocks: [text] } }, 5000)
        if (typeof blocks?.[0]?.text === "string") output.output = blocks[0].text
      }
    },
    "experimental.session.compacting": async (input, output) => {
      try {
        const { data } = await client.session.messages({ path: { id: input.sessionID } })
        const summary = await summarize(input.sessionID, withoutRequest(data))
        if (!summary) return
        summaries.set(input.sessionID, summary)
        output.context.push(summary)
      } catch {}
    },
    "experimental.chat.system.transform": async (input, output) => {
      const session = input.sessionID
      if (!session) return
      if (!summaries.has(session)) {
        const { summary } = await ask({ resumption: { session } }, 10000)
        summaries.set(session, typeof summary === "string" ? summary : "")
      }
      if (summaries.get(session)) output.system.push(summaries.get(session))
    },
  }
}
"""


FILE = OwnedFile(
    lambda directory: make_plugin("opencode", directory, BODY, IMPORTS),
    lambda directory: json.dumps(f"{directory}/{HOOK}"),
)

HOST = Host(
    name="opencode",
    title="opencode",
    program="opencode",
    settings={"user": SettingsPlace("opencode/plugins/ctxkit.js", default=".config", variable="XDG_CONFIG_HOME")},
    make_scripts=partial(make_wrapping_scripts, "opencode"),
    install=FILE.install,
    remove=FILE.remove,
    is_installed=FILE.is_installed,
    read_event=read_event,
    make_rewrite=make_rewrite,
    make_resumption=make_summary,
    make_summary=make_summary,
    make_result=make_result,
    without_scripts="opencode runs its commands without ctxkit",
    find_rivals=find_no_rivals,
    mcp=make_json_settings(
        {"user": SettingsPlace("opencode/opencode.json", default=".config", variable="XDG_CONFIG_HOME")},
        key="mcp",
        make_command=lambda program: [program],
        rest={"type": "local", "enabled": True},
    ),
    tools=(
        HostTool("bash", "a script in front of its command", seen="1.18.33"),
        HostTool(SERVER_TOOLS, "`tool.execute.after`", seen="1.18.33"),
        HostTool("webfetch", "`tool.execute.after`", seen="1.18.33"),
        HostTool("glob, grep, list, task", "`tool.execute.after`"),
        HostTool(OTHER_TOOLS, note="they read or edit files"),
    ),
)
