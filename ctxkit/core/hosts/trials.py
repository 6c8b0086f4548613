"""Describe how hosts are tried against a scripted model, and check what it saw with ctxkit and without it."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from ctxkit.core.checkup import Check

_FORBIDDEN = "factor 12"
"""A harmless command that a rule of the trial forbids."""
_FORBIDDEN_OUTPUT = "12: 2 2 3"
FORBIDDEN_WORD = _FORBIDDEN.split()[0]


class TrialSetup(NamedTuple):
    """The files of a trial: texts by path below the home, texts by path below the project, and the environment."""

    home: Mapping[str, str]
    project: Mapping[str, str] = {}
    environment: Mapping[str, str] = {}


class HostTrial(NamedTuple):
    """How a host is tried.

    ``tool`` runs the command that is its member ``key``. ``make_setup`` gets the address of the model. ``noise`` is a
    regular expression for what differs from run to run. ``package`` is its name at npm.
    """

    package: str
    tool: str
    key: str
    args: tuple[str, ...]
    make_setup: Callable[[str], TrialSetup]
    noise: str = "$^"
    has_rules: bool = True


def _set_up_claude_code(address: str) -> TrialSetup:
    rules = {"allow": ["Bash"], "deny": [f"Bash({FORBIDDEN_WORD}:*)"]}
    environment = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "none"}
    environment["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = "1"
    return TrialSetup({".claude/settings.json": json.dumps({"permissions": rules})}, environment=environment)


def _set_up_codex(address: str) -> TrialSetup:
    provider = f'name = "local"\nbase_url = "{address}/v1"\nwire_api = "responses"\nenv_key = "KEY"\n'
    config = f'model = "gpt-5.4"\nmodel_provider = "local"\n[model_providers.local]\n{provider}'
    rule = f'prefix_rule(pattern=["{FORBIDDEN_WORD}"], decision="forbidden")'
    return TrialSetup(
        {".codex/config.toml": config, ".codex/rules/default.rules": rule}, environment={"KEY": "none"}
    )


def _set_up_gemini(address: str) -> TrialSetup:
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    rule = f'toolName = "run_shell_command"\ncommandPrefix = "{FORBIDDEN_WORD}"\ndecision = "deny"\npriority = 900\n'
    files = {".gemini/settings.json": json.dumps(settings), ".gemini/policies/deny.toml": f"[[rule]]\n{rule}"}
    return TrialSetup(files, environment={"GOOGLE_GEMINI_BASE_URL": address, "GEMINI_API_KEY": "none"})


def _set_up_copilot(address: str) -> TrialSetup:
    names = {"BASE_URL": f"{address}/v1", "TYPE": "openai", "API_KEY": "none"}
    provider = {f"COPILOT_PROVIDER_{name}": value for name, value in names.items()}
    return TrialSetup({}, environment={**provider, "COPILOT_MODEL": "scripted", "COPILOT_OFFLINE": "true"})


def _set_up_opencode(address: str) -> TrialSetup:
    models = {"scripted": {"name": "scripted", "limit": {"context": 32_000, "output": 4_000}}}
    options = {"baseURL": f"{address}/v1", "apiKey": "none"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "local", "options": options, "models": models}
    config = {
        "model": "local/scripted",
        "small_model": "local/scripted",
        "permission": {"bash": {"*": "allow", f"{FORBIDDEN_WORD} *": "deny"}},
        "provider": {"local": provider},
    }
    environment = {f"OPENCODE_DISABLE_{name}": "1" for name in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD")}
    return TrialSetup({}, {"opencode.json": json.dumps(config)}, environment)


def _set_up_pi(address: str) -> TrialSetup:
    models = [{"id": "scripted", "contextWindow": 32_000, "maxTokens": 4_000}]
    provider = {"baseUrl": f"{address}/v1", "api": "openai-completions", "apiKey": "none", "models": models}
    files = {".pi/agent/models.json": json.dumps({"providers": {"local": provider}})}
    return TrialSetup(files, environment={"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"})


TRIALS = {
    "claude-code": HostTrial("@anthropic-ai/claude-code", "Bash", "command", ("-p", "run it"), _set_up_claude_code),
    "codex": HostTrial(
        "@openai/codex",
        "exec_command",
        "cmd",
        ("exec", "--skip-git-repo-check", "--sandbox", "workspace-write", "run it"),
        _set_up_codex,
        r"Chunk ID: \w+\nWall time: [\d.]+ seconds\n|Original token count: \d+\n",
    ),
    "copilot": HostTrial(
        "@github/copilot",
        "bash",
        "command",
        ("-p", "run it", "--allow-all-tools", "--deny-tool", f"shell({FORBIDDEN_WORD})"),
        _set_up_copilot,
    ),
    "gemini": HostTrial(
        "@google/gemini-cli",
        "run_shell_command",
        "command",
        ("-p", "run it", "--yolo", "-m", "gemini-2.5-pro", "--skip-trust"),
        _set_up_gemini,
        r"Process Group PGID: \d+|\n*\[System\] Tool input parameters were modified by a hook before execution\.",
    ),
    "opencode": HostTrial("opencode-ai", "bash", "command", ("run", "run it"), _set_up_opencode),
    "pi": HostTrial(
        "@earendil-works/pi-coding-agent",
        "bash",
        "command",
        ("-p", "--provider", "local", "--model", "scripted", "run it"),
        _set_up_pi,
        has_rules=False,
    ),
}
"""The trials by the name of the host."""
LONG = "seq -f 'line %.0f of a long and boring output, again' 5000; exit 3"
SMALL = "echo small; exit 4"
COMMANDS = (LONG, SMALL, "cd sub && pwd", "pwd", _FORBIDDEN)
"""What the model calls, in order: long output, a status, two directories, and a command that a rule forbids."""
_MAX_END = 100
"""Most characters of the beginning and of the end of a result that a check quotes."""
_IN_FRONT = re.compile(r"test -r \S+wrap\.sh && \. \S+wrap\.sh; ")
_REF = re.compile(r"ctxkit cache get \w+")


class TrialResults(NamedTuple):
    """The output of each command that the model saw without ctxkit, and with it."""

    plain: Sequence[str]
    gated: Sequence[str]


Call = tuple[str, dict[str, Any]]


def make_calls(trial: HostTrial) -> list[Call]:
    """Return the tool calls of the model."""
    return [(trial.tool, {trial.key: command, "description": "try it"}) for command in COMMANDS]


def check_results(results: TrialResults, trial: HostTrial, topic: str) -> Iterator[Check]:
    """Yield the results of the trial: the map, the status, the directory, and the rule."""
    plain, gated = ([_clean(text, trial) for text in texts[: len(COMMANDS)]] for texts in results)
    if min(len(plain), len(gated)) < len(COMMANDS):
        value = f"the model saw {len(plain)} and {len(gated)} of {len(COMMANDS)} results, without ctxkit and with it"
        yield Check(topic, "results", value, "bad", f"run {topic} once by itself")
        return
    yield _check_hook(plain[0], gated[0], topic)
    yield _compare(plain[1:2], gated[1:2], topic, "status")
    yield _compare(plain[2:4], gated[2:4], topic, "directory")
    yield _check_rule(plain[4], gated[4], trial, topic)
    for command, text in zip(COMMANDS, gated, strict=True):
        yield Check("what the model sees", command, quote_ends(text))


def quote_ends(text: str) -> str:
    """Return a text on one line, its middle left out if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= 2 * _MAX_END else f"{line[:_MAX_END]} ... {line[-_MAX_END:]}"


def _check_hook(plain: str, gated: str, topic: str) -> Check:
    """Return whether long output arrived as a map with the status of its command."""
    sizes = f"{len(gated):,} characters, {len(plain):,} without ctxkit"
    if not _REF.search(gated):
        return Check(topic, "hook", f"does not work: long output is not a map ({sizes})", "bad", "please report it")
    if "Exit status 3" not in gated:
        return Check(topic, "hook", f"the map lacks the exit status ({sizes})", "bad", "please report it")
    return Check(topic, "hook", f"works: long output is a map ({sizes})")


def _compare(plain: Sequence[str], gated: Sequence[str], topic: str, name: str) -> Check:
    """Return whether small output is as it is without ctxkit."""
    if plain == gated:
        return Check(topic, name, "as without ctxkit")
    shown = " / ".join(map(quote_ends, plain))
    return Check(topic, name, f"another one than without ctxkit: {shown}", "bad", "please report it")


def _check_rule(plain: str, gated: str, trial: HostTrial, topic: str) -> Check:
    """Return whether a forbidden command stays forbidden."""
    if not trial.has_rules:
        return Check(topic, "rule", "the host has no rules for commands", "absent")
    if _FORBIDDEN_OUTPUT in plain:
        return Check(topic, "rule", f"the host ran {_FORBIDDEN} against its rule, without ctxkit too", "bad")
    if _FORBIDDEN_OUTPUT in gated:
        return Check(topic, "rule", f"ctxkit lets {_FORBIDDEN} run, which a rule forbids", "bad", "please report it")
    return Check(topic, "rule", f"{_FORBIDDEN} stays forbidden")


def _clean(text: str, trial: HostTrial) -> str:
    """Return what a model saw without what differs from run to run, and without the line in front of a command."""
    return _IN_FRONT.sub("", re.sub(trial.noise, "", text))


Body = dict[str, Any]


def read_text(content: str | list[Body] | None) -> str:
    """Return the text of a tool result."""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or ())


class Anthropic:
    """The Messages API."""

    usage: ClassVar = {"input_tokens": 1000, "output_tokens": 10}

    def list_results(self, body: Body) -> list[str]:
        """Return the tool results in a request."""
        messages = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
        parts = [part for content in messages for part in content if part["type"] == "tool_result"]
        return [read_text(part.get("content", "")) for part in parts]

    def list_tools(self, body: Body) -> list[str]:
        """Return the names of the tools in a request."""
        return [str(tool.get("name")) for tool in body.get("tools") or ()]

    def make_events(self, body: Body, call: Call | None, number: int) -> Iterator[Body]:
        """Yield the events of an answer: a tool call, or a text."""
        head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body["model"], "content": []}
        start = {**head, "stop_reason": None, "stop_sequence": None, "usage": self.usage}
        yield {"type": "message_start", "message": start}
        block: Body = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "done"}
        if call:
            block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": call[0], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        yield {"type": "message_delta", "delta": stop, "usage": self.usage}
        yield {"type": "message_stop"}


class Responses:
    """The Responses API of OpenAI."""

    usage: ClassVar = {"input_tokens": 1000, "output_tokens": 10, "total_tokens": 1010}

    def list_results(self, body: Body) -> list[str]:
        """Return the tool results in a request."""
        items = body["input"] if isinstance(body["input"], list) else []
        return [read_text(item["output"]) for item in items if item.get("type") == "function_call_output"]

    def list_tools(self, body: Body) -> list[str]:
        """Return the names of the tools in a request; those in a namespace follow it and a point."""
        tools = body.get("tools") or ()
        inner = [f"{tool['name']}.{item['name']}" for tool in tools for item in tool.get("tools") or ()]
        return [str(tool.get("name")) for tool in tools] + inner

    def make_events(self, body: Body, call: Call | None, number: int) -> Iterator[Body]:
        """Yield the events of an answer: a tool call, or a text."""
        item: Body = {"id": f"i_{number}", "status": "completed"}
        if call:
            namespace, _, name = call[0].rpartition(".")
            item |= {"type": "function_call", "call_id": f"call_{number}", "name": name}
            item |= {"arguments": json.dumps(call[1])}
            item |= {"namespace": namespace} if namespace else {}
        else:
            text = {"type": "output_text", "text": "done", "annotations": []}
            item |= {"type": "message", "role": "assistant", "content": [text]}
        response = {"id": f"resp_{number}", "object": "response", "status": "completed", "model": body["model"]}
        response |= {"output": [item], "usage": self.usage, "error": None}
        yield {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        yield {"type": "response.completed", "response": response}


class Chat:
    """The Chat Completions API."""

    usage: ClassVar = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}

    def list_results(self, body: Body) -> list[str]:
        """Return the tool results in a request."""
        return [read_text(message["content"]) for message in body["messages"] if message["role"] == "tool"]

    def list_tools(self, body: Body) -> list[str]:
        """Return the names of the tools in a request."""
        return [tool["function"]["name"] for tool in body.get("tools") or () if "function" in tool]

    def make_events(self, body: Body, call: Call | None, number: int) -> Iterator[Body]:
        """Yield the chunks of an answer: a tool call, or a text."""
        message: Body = {"role": "assistant", "content": None if call else "done"}
        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            message["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
        head = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
            yield {**head, "object": "chat.completion", "choices": [choice], "usage": self.usage}
            return
        yield {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
        yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if call else "stop"}]}
        yield {**head, "choices": [], "usage": self.usage}


class Gemini:
    """The API of Gemini; ``streams`` is whether the address asks for a stream."""

    answer: ClassVar = "done"

    def __init__(self, *, streams: bool = True) -> None:
        self.streams = streams

    def list_results(self, body: Body) -> list[str]:
        """Return the tool results in a request."""
        parts = [part for content in body["contents"] for part in content.get("parts", ())]
        answers = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
        return ["\n".join(map(str, answer.values())) for answer in answers]

    def list_tools(self, body: Body) -> list[str]:
        """Return the names of the tools in a request."""
        tools = body.get("tools") or ()
        return [function["name"] for tool in tools for function in tool.get("functionDeclarations", ())]

    def make_events(self, _body: Body, call: Call | None, number: int) -> Iterator[Body]:
        """Yield the only part of an answer: a tool call, or a text."""
        part: Body = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": self.answer}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1000, "candidatesTokenCount": 10, "totalTokenCount": 1010}
        yield {"candidates": [candidate], "usageMetadata": usage, "responseId": f"r{number}"}


Dialect = Anthropic | Responses | Chat | Gemini


def make_answer(dialect: Dialect, body: Body, call: Call | None, number: int) -> tuple[str, bytes]:
    """Return the content type and the bytes of an answer."""
    events = list(dialect.make_events(body, call, number))
    if not _streams(dialect, body):
        return "application/json", json.dumps(events[0]).encode()
    names = [f"event: {event['type']}\n" if "type" in event else "" for event in events]
    lines = [f"{name}data: {json.dumps(event)}\n\n" for name, event in zip(names, events, strict=True)]
    return "text/event-stream", "".join(lines).encode()


def _streams(dialect: Dialect, body: Body) -> bool:
    """Return whether a request asks for a stream."""
    if isinstance(dialect, Gemini):
        return dialect.streams
    return not isinstance(dialect, Chat) or bool(body.get("stream"))


def find_dialect(path: str) -> Dialect | None:
    """Return the API of an address, None for a request that does not go to a model."""
    if "count" in path:
        return None
    if "enerateContent" in path:
        return Gemini(streams="streamGenerateContent" in path)
    endings: dict[str, Dialect] = {"/messages": Anthropic(), "/responses": Responses(), "/chat/completions": Chat()}
    return next((dialect for ending, dialect in endings.items() if path.partition("?")[0].endswith(ending)), None)
