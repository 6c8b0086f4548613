"""What opencode and pi have in common: a file of JavaScript that passes each command to the hook."""

import json
from collections.abc import Mapping

from ctxkit.core.hosts.event_json import read_text
from ctxkit.core.hosts.events import read_command
from ctxkit.core.hosts.hook_script import HOOK
from ctxkit.core.hosts.host import Answer, HookEvent
from ctxkit.core.hosts.owned_file import MARK
from ctxkit.core.text.json_value import JsonValue

HEAD = """\
// {mark}{host}. Remove it with "ctxkit init {host} --remove".
import {{ spawn }} from "node:child_process"

const hook = {hook}

// Return the command that runs instead: the same one if the hook is gone, fails or takes too long.
const rewrite = (command) =>
  new Promise((resolve) => {{
    let answer = ""
    const finish = () => {{
      clearTimeout(timer)
      try {{
        const value = JSON.parse(answer)
        resolve(typeof value.command === "string" ? value.command : command)
      }} catch {{
        resolve(command)
      }}
    }}
    const child = spawn(hook, [], {{ stdio: ["pipe", "pipe", "ignore"] }})
    const timer = setTimeout(() => {{
      answer = ""
      child.kill("SIGKILL")
      finish()
    }}, 5000)
    child.on("error", finish)
    child.stdin.on("error", () => {{}})
    child.stdout.on("data", (data) => {{
      answer += data
    }})
    child.on("close", finish)
    child.stdin.end(JSON.stringify({{ tool: "bash", input: {{ command }} }}))
  }})

"""


def make_plugin(host: str, directory: str, body: str) -> str:
    """Return the text of a plugin: ``body`` calls ``rewrite`` with a command."""
    return HEAD.format(mark=MARK, host=host, hook=json.dumps(f"{directory}/{HOOK}")) + body


def read_event(value: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return the event of a command, None for anything else."""
    return read_command(value.get("input")) if read_text(value, "tool") == "bash" else None


def make_rewrite(tool_input: Mapping[str, JsonValue]) -> Answer:
    """Return the answer that changes the command."""
    return dict(tool_input)
