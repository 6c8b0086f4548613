"""The conversations that ctxkit knows by name and does not read.

Each row has shapes that no other format has, a way to get the conversation, and the source of the shapes. Its jq
program makes messages that ctxkit reads, of OpenAI, Anthropic or LangChain.
"""

from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import ABSENT, ANY, Prefix, Shape
from ctxkit.core.text.shell import quote


class UnreadFormat(NamedTuple):
    """A format that ctxkit does not read.

    - ``name``: what such a file is, with its article.
    - ``shapes``: the shapes of a document or of a line; a list of such values is in the format too.
    - ``prefixes``: the beginnings of a text that is not JSON, after blanks.
    - ``advice``: how to get its conversation nevertheless, empty if there is no way.
    - ``program`` and ``options``: the jq program that does it, in any layout, and the options of jq.
    - ``source``: where the shapes are documented, and when that was read.
    """

    name: str
    shapes: tuple[dict[str, Shape], ...] = ()
    prefixes: tuple[str, ...] = ()
    advice: str = ""
    program: str = ""
    options: str = ""
    source: str = ""

    @property
    def hint(self) -> str:
        """Return the advice and the command, on one line."""
        if not self.program:
            return self.advice
        words = ("jq", self.options, quote(" ".join(self.program.split())), "FILE")
        return f"{self.advice}: {' '.join(filter(None, words))}"


_UI_MESSAGE: dict[str, Shape] = {"role": str, "parts": [{"type": str}]}
_AUTOGEN_TYPES: Shape = (
    *("TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage", "ToolCallSummaryMessage"),
    *("ToolCallRequestEvent", "ToolCallExecutionEvent", "ThoughtEvent", "MemoryQueryEvent", "CodeExecutionEvent"),
)
_AUTOGEN_MESSAGE: dict[str, Shape] = {"source": str, "type": _AUTOGEN_TYPES}
_INSPECT_MESSAGE: dict[str, Shape] = {"role": "assistant", "tool_calls": [{"function": str}]}
_INSPECT_SAMPLE: dict[str, Shape] = {"epoch": int, "target": ANY, "messages": [{"role": str}]}
_GOOSE_MESSAGE: dict[str, Shape] = {"role": str, "content": [{"type": ("toolRequest", "toolResponse"), "id": str}]}
_LANGFUSE_TYPES: Shape = ("GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN")
_LANGFUSE_OBSERVATION: dict[str, Shape] = {"traceId": str, "type": _LANGFUSE_TYPES, "input": ANY}
_CLAUDE_AI_CHAT: dict[str, Shape] = {"uuid": ANY, "chat_messages": list}
_MANAGED_EVENT: dict[str, Shape] = {"id": Prefix("sevt_"), "type": str}

UNREAD_FORMATS: tuple[UnreadFormat, ...] = (
    UnreadFormat(
        "UIMessages of the AI SDK",
        (_UI_MESSAGE, {"messages": [_UI_MESSAGE]}),
        advice="pass the model's messages",
        options="-s",
        program=r"""
            [.[] | (.messages? // .) | if type == "array" then .[] else . end | {role, content: [.parts[] |
            (.toolInvocation? // .) | .toolName //= (.type | ltrimstr("tool-")) | if .text then {type, text} elif
            .toolCallId then {type: "tool-call", toolCallId, toolName, input: (.input // .args)} else empty end]},
            (.parts[] | (.toolInvocation? // .) | .toolName //= (.type | ltrimstr("tool-")) | (.output // .result //
            .errorText) as $output | select(.toolCallId and $output) | {role: "tool", content: [{type:
            "tool-result", toolCallId, toolName, output: {type: "text", value: ($output | if type == "string" then .
            else tojson end)}}]})]
        """,
        source="ai-sdk.dev/docs/reference/ai-sdk-core/ui-message, 2026-11",
    ),
    UnreadFormat(
        "a state of LangGraph",
        ({"values": {"messages": list}, "next": list}, {"values": {"messages": list}, "thread_id": str}),
        advice="pass its messages",
        program="(.[0]? // .).values",
        source="langchain-ai/langgraph libs/sdk-py/langgraph_sdk/schema.py (ThreadState, Thread), 2026-11",
    ),
    UnreadFormat(
        "an export of LangSmith",
        ({"run_type": str, "inputs": dict}, {"runs": [{"run_type": str, "inputs": dict}]}),
        advice="pass the last request to a model and its answer",
        options="-s",
        program=r"""
            [.. | objects | select(.run_type? == "llm")] | max_by(.start_time) | (.inputs.messages | if (.[0] |
            type) == "array" then .[0] else . end) + [.outputs | (.generations?[0]?[0]?.message //
            .choices?[0]?.message // empty)]
        """,
        source="docs.langchain.com/langsmith/run-data-format, 2026-11",
    ),
    UnreadFormat(
        "an export of Langfuse",
        (
            _LANGFUSE_OBSERVATION,
            {"observations": [_LANGFUSE_OBSERVATION]},
            {"data": [_LANGFUSE_OBSERVATION]},
        ),
        advice="pass the last request to a model and its answer",
        options="-s",
        program=r"""
            [.. | objects | select(.type? == "GENERATION")] | max_by(.startTime) | (.input | (.messages? // .)) +
            [.output | objects]
        """,
        source="api.reference.langfuse.com, Observation, 2026-11",
    ),
    UnreadFormat(
        "messages of AutoGen AgentChat",
        (_AUTOGEN_MESSAGE, {"messages": [_AUTOGEN_MESSAGE]}),
        advice="pass them as OpenAI's",
        options="-s",
        program=r"""
            [.[] | (.messages? // .) | if type == "array" then .[] else . end | if .type == "ToolCallRequestEvent"
            then {role: "assistant", content: null, tool_calls: [.content[] | {id, type: "function", function:
            {name, arguments}}]} elif .type == "ToolCallExecutionEvent" then (.content[] | {role: "tool",
            tool_call_id: .call_id, content}) elif (.type | endswith("Message")) then {role: (if .source == "user"
            then "user" else "assistant" end), name: .source, content} else empty end]
        """,
        source="microsoft/autogen python/packages/autogen-agentchat/src/autogen_agentchat/messages.py, 2026-11",
    ),
    UnreadFormat(
        "a state of AutoGen AgentChat",
        ({"llm_context": {"messages": list}}, {"type": "TeamState", "agent_states": dict}),
        advice="pass the first agent's messages",
        program=r"""
            [first(.. | objects | select(.llm_context?).llm_context.messages)[] | if .type == "AssistantMessage" and
            (.content | type) == "array" then {role: "assistant", content: null, tool_calls: [.content[] | {id,
            type: "function", function: {name, arguments}}]} elif .type == "FunctionExecutionResultMessage" then
            (.content[] | {role: "tool", tool_call_id: .call_id, content}) else {role: ({UserMessage: "user",
            SystemMessage: "system"}[.type] // "assistant"), content} end]
        """,
        source="microsoft/autogen python/packages/autogen-agentchat/src/autogen_agentchat/state/_states.py, 2026-11",
    ),
    UnreadFormat(
        "steps of smolagents",
        (
            {"step_number": int, "timing": dict, "model_output": ANY},
            {"steps": [{"step_number": int, "timing": dict}]},
            {"task": str, "task_images": ANY},
        ),
        advice="pass the texts that the agent sends",
        options="-s",
        program=r"""
            [flatten[] | (.steps? // [.])[] | if .system_prompt then {role: "system", content: .system_prompt} elif
            .task then {role: "user", content: .task} elif .step_number then {role: "assistant", content:
            ((.model_output // "") + (if .tool_calls then "\nCalling tools:\n" + (.tool_calls | tojson) else ""
            end))}, (select(.observations) | {role: "user", content: ("Observation:\n" + .observations)}) else empty
            end]
        """,
        source="huggingface/smolagents src/smolagents/memory.py, 2026-11",
    ),
    UnreadFormat(
        "a log of Inspect",
        (
            {"eval": dict, "status": str, "version": int},
            _INSPECT_SAMPLE,
            {"messages": [_INSPECT_MESSAGE]},
            _INSPECT_MESSAGE,
        ),
        advice="pass the messages of a sample, of an .eval file after inspect log dump",
        program=r"""
            [(.samples?[0]? // .) | (.messages? // .)[] | if .tool_calls then .tool_calls |= map({id, type:
            "function", function: {name: .function, arguments: (.arguments | tojson)}}) else . end]
        """,
        source="UKGovernmentBEIS/inspect_ai src/inspect_ai/log/_log.py and tool/_tool_call.py, 2026-11",
    ),
    UnreadFormat(
        "what Cline displays (ui_messages.json)",
        ({"ts": int, "type": "say", "say": str}, {"ts": int, "type": "ask", "ask": str}),
        advice="ctxkit reads the file beside it: api_conversation_history.json",
        source="cline/cline src/shared/ExtensionMessage.ts (ClineMessage), 2026-11",
    ),
    UnreadFormat(
        "a list of items from OpenAI's API",
        ({"object": "list", "has_more": bool, "data": [{"type": str, "id": str}]},),
        advice="ask for it with order=asc, because the newest item is first otherwise, and pass",
        program=".data",
        source="platform.openai.com/docs/api-reference/conversations/list-items, 2026-11",
    ),
    UnreadFormat(
        "a session of goose",
        (
            _GOOSE_MESSAGE,
            {"working_dir": str, "conversation": [{"role": str}]},
            {"working_dir": str, "message_count": int, "role": ABSENT},
            {"type": "message", "message": _GOOSE_MESSAGE},
            {"messages": [_GOOSE_MESSAGE]},
        ),
        advice="pass it as Anthropic's messages",
        options="-s",
        program=r"""
            [flatten[] | (.conversation? // .messages? // .message? // .) | if type == "array" then .[] else . end |
            select(.role) | {role, content: [.content[] | if .type == "text" then {type, text} elif .type ==
            "toolRequest" then {type: "tool_use", id, name: .toolCall.value.name, input: .toolCall.value.arguments}
            elif .type == "toolResponse" then {type: "tool_result", tool_use_id: .id, content: [(.toolResult.value |
            (.content? // .))[]? | select(.text) | {type: "text", text}]} else empty end]}]
        """,
        source="block/goose crates/goose/src/conversation/message.rs, and sessions of its version of 2026-07",
    ),
    UnreadFormat(
        "the events of Kimi CLI (wire.jsonl)",
        ({"timestamp": ANY, "message": {"type": str, "payload": dict, "role": ABSENT}, "type": ABSENT},),
        advice="ctxkit reads the file beside it: context.jsonl",
        source="moonshotai.github.io/kimi-cli/en/customization/wire-mode.html, 2026-11",
    ),
    UnreadFormat(
        "a session of Kimi Code (wire.jsonl)",
        (
            {"type": "metadata", "protocol_version": str},
            {"type": Prefix("context.append_"), "time": ANY},
            {"type": ("config.update", "turn.prompt", "llm.request"), "time": ANY},
        ),
        advice="pass it as OpenAI's messages",
        options="-s",
        program=r"""
            [.[] | if .type == "context.append_message" then .message | {role, content: [.content[] | select(.text)
            | {type: "text", text}]} elif .type == "context.append_loop_event" then .event | if .type ==
            "content.part" and .part.text then {role: "assistant", content: .part.text} elif .type == "tool.call"
            then {role: "assistant", content: null, tool_calls: [{id: .toolCallId, type: "function", function:
            {name, arguments: (.args | tojson)}}]} elif .type == "tool.result" then {role: "tool", tool_call_id:
            .toolCallId, content: (.result.output | if type == "string" then . else tojson end)} else empty end else
            empty end]
        """,
        source="jazzyalex/agent-sessions Resources/Fixtures/stage0/agents/kimi, sessions of 2026-08",
    ),
    UnreadFormat(
        "a session of Factory's Droid",
        (
            {"type": "session_start", "id": str, "cwd": str},
            {"type": "message", "message": {"content": [{"type": ("tool_use", "tool_result")}]}},
        ),
        advice="pass its messages",
        options="-c",
        program='select(.type == "message").message',
        source="jazzyalex/agent-sessions Resources/Fixtures/stage0/agents/droid, sessions of 2025-12",
    ),
    UnreadFormat(
        "the stream of Droid's --output-format stream-json",
        (
            {"type": "message", "role": str, "text": str, "sessionId": str},
            {"type": "tool_call", "toolName": str, "parameters": ANY},
            {"type": "tool_result", "toolId": str, "value": ANY},
            {"type": "completion", "finalText": str},
        ),
        advice="pass it as OpenAI's messages",
        options="-s",
        program=r"""
            [.[] | if .type == "message" then {role, content: .text} elif .type == "tool_call" then {role:
            "assistant", content: null, tool_calls: [{id, type: "function", function: {name: .toolName, arguments:
            (.parameters | tojson)}}]} elif .type == "tool_result" then {role: "tool", tool_call_id: .id, content:
            (.value | if type == "string" then . else tojson end)} else empty end]
        """,
        source="jazzyalex/agent-sessions Resources/Fixtures/stage0/agents/droid, streams of 2026-01",
    ),
    UnreadFormat(
        "a session of Grok's CLI (chat_history.jsonl)",
        (
            {"type": "assistant", "model_id": str, "content": ANY, "role": ABSENT},
            {"type": "tool_result", "tool_call_id": str, "content": ANY, "role": ABSENT},
            {"type": "user", "prompt_index": int, "content": ANY},
            {"type": "user", "synthetic_reason": str, "content": ANY},
        ),
        advice="pass it as OpenAI's messages",
        options="-s",
        program=r"""
            [.[] | if .type == "tool_result" then {role: "tool", tool_call_id, content} elif .type == "assistant"
            then {role: "assistant", content} + (if .tool_calls then {tool_calls: [.tool_calls[] | {id, type:
            "function", function: {name, arguments}}]} else {} end) elif .type == "user" or .type == "system" then
            {role: .type, content} else empty end]
        """,
        source="jazzyalex/agent-sessions Resources/Fixtures/stage0/agents/grok, sessions of 2026-08",
    ),
    UnreadFormat(
        "an export of grok.com",
        ({"conversations": [{"conversation": dict, "responses": list}]},),
        advice="pass the texts of a chat",
        program=r"""
            [.conversations[0].responses[].response | {role: (if .sender == "human" then "user" else "assistant"
            end), content: .message}]
        """,
        source="prod-grok-backend.json of the export of an account, as read by several public importers, 2026-11",
    ),
    UnreadFormat(
        "an exported chat of VS Code Copilot",
        ({"responderUsername": ANY, "requests": [dict]},),
        advice="pass its texts",
        program=r"""
            [.requests[] | {role: "user", content: .message.text}, {role: "assistant", content: ([.response[]? |
            select(has("kind") | not) | .value | strings] | join(""))}]
        """,
        source="microsoft/vscode src/vs/workbench/contrib/chat/common/model/chatModel.ts, 2026-09",
    ),
    UnreadFormat(
        "a chat session of VS Code, as a log of its changes",
        ({"kind": int, "v": {"responderUsername": ANY}},),
        advice="export the chat in VS Code: Chat: Export Chat...",
        source="microsoft/vscode src/vs/workbench/contrib/chat/common/model/chatModel.ts, 2026-09",
    ),
    UnreadFormat(
        "an export of ChatGPT",
        ({"mapping": dict, "current_node": str}, {"mapping": dict, "conversation_id": str}),
        advice="pass the texts of a chat",
        program=r"""
            (.[0]? // .) | .mapping as $nodes | [.current_node | recurse($nodes[.].parent; . != null) |
            $nodes[.].message | select(.content.parts?) | {role: (if .author.role == "tool" then "user" else
            .author.role end), content: ([.content.parts[] | strings] | join("\n"))} | select(.content != "")] |
            reverse
        """,
        source="conversations.json of the export of an account, as read by several public importers, 2026-11",
    ),
    UnreadFormat(
        "a chat history of Aider",
        prefixes=("# aider chat started at ",),
        advice="pass its texts",
        options="-Rn",
        program=r"""
            [inputs | if startswith("#### ") then {role: "user", content: .[5:]} elif test("^(> |# aider chat)")
            then empty else {role: "assistant", content: .} end] | reduce .[] as $line ([]; if .[-1].role ==
            $line.role then .[-1].content += "\n" + $line.content else . + [$line] end) | map(select(.content |
            test("\\S")))
        """,
        source="Aider-AI/aider aider/io.py (append_chat_history) and utils.py (split_chat_history_markdown), 2026-11",
    ),
    UnreadFormat(
        "a chat history of SpecStory",
        prefixes=("<!-- Generated by SpecStory",),
        advice="pass its texts",
        options="-Rn",
        program=r"""
            [inputs | if test("^_\\*\\*(User|Agent|Assistant)") then {role: (if startswith("_**User") then "user"
            else "assistant" end), content: ""} else . end] | reduce .[] as $line ([]; if ($line | type) == "object"
            then . + [$line] elif . == [] or $line == "---" then . else .[-1].content += $line + "\n" end)
        """,
        source="specstoryai/getspecstory, Markdown v2.1.0 of 2026-07",
    ),
    UnreadFormat(
        "the stream of Gemini CLI's --output-format stream-json",
        (
            {"type": "init", "session_id": ANY, "model": ANY, "timestamp": ANY},
            {"type": "tool_use", "tool_name": ANY, "tool_id": ANY, "parameters": ANY},
            {"type": "tool_result", "tool_id": ANY, "status": ANY, "timestamp": ANY},
        ),
        advice="ctxkit reads the session, in ~/.gemini/tmp/*/chats",
    ),
    UnreadFormat(
        "a transcript of oh-my-opencode, without the words of the model",
        (
            {"type": "tool_use", "tool_name": ANY, "tool_input": ANY},
            {"type": "tool_result", "tool_name": ANY, "tool_input": ANY, "tool_output": ANY},
        ),
        advice="ctxkit reads: opencode export SESSION",
    ),
    UnreadFormat(
        "a log of Claude Managed Agents",
        (_MANAGED_EVENT, {"raw": _MANAGED_EVENT}),
        advice="pass its texts",
        options="-s",
        program=r"""
            [.[] | (.raw? // .) | select(.type == "user.message" or .type == "agent.message") | {role: (if .type ==
            "user.message" then "user" else "assistant" end), content}]
        """,
    ),
    UnreadFormat(
        "a transcript of wasa",
        ({"role": ANY, "content": ANY, "timestamp": ANY, "raw": {"type": str, "role": ABSENT}},),
        advice="ctxkit reads the session in it",
        options="-c",
        program=".raw",
    ),
    UnreadFormat(
        "a trajectory of OpenClaw",
        ({"traceSchema": "openclaw-trajectory"},),
        advice="ctxkit reads the session beside it: SESSION.jsonl",
    ),
    UnreadFormat(
        "a compact transcript of Entire",
        ({"v": 1, "agent": ANY, "cli_version": ANY, "type": ANY, "ts": ANY, "content": ANY},),
        advice="ctxkit reads the session beside it: full.jsonl",
    ),
    UnreadFormat(
        "a transcript of Antigravity",
        ({"step_index": ANY, "source": ANY, "type": ANY},),
        advice="pass its texts",
        options="-s",
        program=r"""
            [.[] | select(.content) | if .type == "USER_INPUT" then {role: "user", content} elif .type ==
            "PLANNER_RESPONSE" then {role: "assistant", content} elif .source == "MODEL" then {role: "user",
            content: (.type + ":\n" + .content)} else empty end]
        """,
        source="jazzyalex/agent-sessions Resources/Fixtures/stage0/agents/antigravity, sessions of 2026-06",
    ),
    UnreadFormat(
        "a session of Continue",
        ({"history": [{"contextItems": ANY, "message": dict}]},),
        advice="pass its messages, without tools",
        program="[.history[].message | {role, content}]",
    ),
    UnreadFormat(
        "a request dump of Hermes",
        ({"request": {"body": {"messages": [dict]}}, "reason": ANY},),
        advice="pass the request in it",
        program=".request.body",
    ),
    UnreadFormat(
        "a file of tau2-bench results",
        ({"tasks": ANY, "simulations": [{"messages": ANY}]},),
        advice="pass one simulation",
        program=".simulations[0]",
    ),
    UnreadFormat(
        "an export of Claude.ai",
        (_CLAUDE_AI_CHAT,),
        advice="pass the texts of a chat",
        program="[(.[0]? // .).chat_messages[] | {role: .sender, content: .text}]",
    ),
)
