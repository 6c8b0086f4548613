"""A made sample of each format that ctxkit knows and does not read, and the words that its hint makes readable."""

import json
from typing import Any, NamedTuple

from ctxkit.core.chat.reading.unread_format_table import UNREAD_FORMATS, UnreadFormat


class Sample(NamedTuple):
    """Content in the format whose name contains ``name``.

    ``values`` are written one per line; ``text`` is content that is not JSON. ``words`` are the roles and the words of
    the messages that the jq program of the hint makes; without them, the hint has no program.
    """

    name: str
    values: tuple[Any, ...] = ()
    text: str = ""
    words: tuple[tuple[str, str], ...] = ()

    @property
    def content(self) -> bytes:
        """Return the content of the file."""
        return (self.text or "".join(f"{json.dumps(value)}\n" for value in self.values)).encode()


QUESTION, ANSWER, RESULT = "List the files of the project.", "There is one file, main.py.", "main.py of the project"
DIALOGUE = (("user", QUESTION), ("assistant", ANSWER))
WITH_CALL = (("user", QUESTION), ("call", "ls"), ("result", RESULT), ("assistant", ANSWER))
TIME = "2026-01-01T00:00:00.000Z"

CHAT = {"uuid": "c", "name": "", "chat_messages": [
    {"uuid": "m", "sender": "human", "text": QUESTION, "content": []},
    {"uuid": "n", "sender": "assistant", "text": ANSWER, "content": []},
]}
UI_CALL = {"type": "tool-ls", "toolCallId": "1", "state": "output-available", "input": {"path": "."}, "output": RESULT}
UI_MESSAGES = [
    {"id": "a", "role": "user", "parts": [{"type": "text", "text": QUESTION}]},
    {"id": "b", "role": "assistant", "parts": [{"type": "step-start"}, UI_CALL]},
    {"id": "c", "role": "assistant", "metadata": {}, "parts": [{"type": "text", "text": ANSWER, "state": "done"}]},
]
UI_MESSAGES_OF_4 = [
    {"id": "a", "role": "user", "content": QUESTION, "parts": [{"type": "text", "text": QUESTION}]},
    {"id": "b", "role": "assistant", "content": "", "parts": [{"type": "tool-invocation", "toolInvocation": {
        "state": "result", "step": 0, "toolCallId": "1", "toolName": "ls", "args": {}, "result": {"files": RESULT}}}]},
    {"id": "c", "role": "assistant", "content": ANSWER, "parts": [{"type": "text", "text": ANSWER}]},
]
LANGCHAIN = [
    {"type": "human", "content": QUESTION, "id": "1"},
    {"type": "ai", "content": "", "tool_calls": [{"name": "ls", "args": {}, "id": "c", "type": "tool_call"}]},
    {"type": "tool", "content": RESULT, "tool_call_id": "c", "name": "ls"},
    {"type": "ai", "content": ANSWER, "id": "2"},
]
STATE = {"values": {"messages": LANGCHAIN}, "next": [], "metadata": {"step": 2}, "created_at": TIME, "tasks": []}
OPENAI_CALL = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
OPENAI = [
    {"role": "user", "content": QUESTION},
    {"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]},
    {"role": "tool", "tool_call_id": "c", "content": RESULT},
]
RUN = {"id": "r", "trace_id": "t", "dotted_order": "d"}
LANGSMITH = [
    {**RUN, "run_type": "chain", "start_time": TIME, "inputs": {"question": QUESTION}, "outputs": {}},
    {**RUN, "run_type": "llm", "start_time": "2026-01-01T00:00:02", "inputs": {"messages": [LANGCHAIN[:3]]},
     "outputs": {"generations": [[{"text": ANSWER, "message": LANGCHAIN[3]}]]}},
    {**RUN, "run_type": "llm", "start_time": "2026-01-01T00:00:01", "inputs": {"messages": [LANGCHAIN[:1]]}},
]
LANGSMITH_OF_OPENAI = {**RUN, "run_type": "llm", "start_time": TIME, "inputs": {"messages": OPENAI},
                       "outputs": {"choices": [{"message": {"role": "assistant", "content": ANSWER}}]}}
OBSERVATION = {"id": "o", "traceId": "t", "type": "GENERATION", "startTime": TIME, "input": {"messages": OPENAI, "tools": []},
               "output": {"role": "assistant", "content": ANSWER}}
AUTOGEN = [
    {"source": "user", "models_usage": None, "content": QUESTION, "type": "TextMessage"},
    {"source": "lister", "content": [{"id": "c", "arguments": "{}", "name": "ls"}], "type": "ToolCallRequestEvent"},
    {"source": "lister", "content": [{"content": RESULT, "name": "ls", "call_id": "c", "is_error": False}],
     "type": "ToolCallExecutionEvent"},
    {"source": "lister", "models_usage": None, "content": ANSWER, "type": "TextMessage"},
]
AUTOGEN_STATE = {"type": "AssistantAgentState", "version": "1.0.0", "llm_context": {"messages": [
    {"content": QUESTION, "source": "user", "type": "UserMessage"},
    {"content": [{"id": "c", "arguments": "{}", "name": "ls"}], "source": "lister", "type": "AssistantMessage"},
    {"content": [{"content": RESULT, "name": "ls", "call_id": "c"}], "type": "FunctionExecutionResultMessage"},
    {"content": ANSWER, "source": "lister", "type": "AssistantMessage"},
]}}
STEPS = [
    {"system_prompt": "You are an agent."},
    {"task": QUESTION, "task_images": None},
    {"step_number": 1, "timing": {"start_time": 1.0}, "model_input_messages": [{"role": "user", "content": QUESTION}],
     "tool_calls": [{"id": "c", "type": "function", "function": {"name": "ls", "arguments": {}}}], "error": None,
     "model_output": "I list them.", "observations": RESULT, "action_output": None},
    {"step_number": 2, "timing": {"start_time": 2.0}, "tool_calls": None, "model_output": ANSWER, "observations": None},
]
INSPECT = [
    {"id": "1", "role": "user", "source": "input", "content": QUESTION},
    {"id": "2", "role": "assistant", "source": "generate", "content": "",
     "tool_calls": [{"id": "c", "function": "ls", "arguments": {"path": "."}, "type": "function"}]},
    {"id": "3", "role": "tool", "content": RESULT, "tool_call_id": "c", "function": "ls"},
    {"id": "4", "role": "assistant", "source": "generate", "content": ANSWER},
]
INSPECT_SAMPLE = {"id": 1, "epoch": 1, "input": QUESTION, "target": "main.py", "messages": INSPECT, "output": {}}
INSPECT_LOG = {"version": 2, "status": "success", "eval": {"task": "t"}, "plan": {}, "samples": [INSPECT_SAMPLE]}
CLINE = [
    {"ts": 1, "type": "say", "say": "text", "text": QUESTION},
    {"ts": 2, "type": "ask", "ask": "tool", "text": "{}"},
]
ITEMS = [
    {"type": "message", "id": "msg_1", "status": "completed", "role": "user",
     "content": [{"type": "input_text", "text": QUESTION}]},
    {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "ls", "arguments": "{}", "status": "completed"},
    {"type": "function_call_output", "id": "fo_1", "call_id": "c", "output": RESULT, "status": "completed"},
    {"type": "message", "id": "msg_2", "status": "completed", "role": "assistant",
     "content": [{"type": "output_text", "text": ANSWER, "annotations": []}]},
]
GOOSE = [
    {"id": "1", "role": "user", "created": 1, "content": [{"type": "text", "text": QUESTION}]},
    {"id": "2", "role": "assistant", "created": 2, "content": [{"type": "toolRequest", "id": "c", "toolCall": {
        "status": "success", "value": {"name": "ls", "arguments": {}}}}]},
    {"id": "3", "role": "user", "created": 3, "content": [{"type": "toolResponse", "id": "c", "toolResult": {
        "status": "success", "value": {"content": [{"type": "text", "text": RESULT}], "isError": False}}}]},
    {"id": "4", "role": "assistant", "created": 4, "content": [{"type": "text", "text": ANSWER}]},
]
GOOSE_OF_1 = [*GOOSE[:2], {**GOOSE[2], "content": [{"type": "toolResponse", "id": "c", "toolResult": {
    "status": "success", "value": [{"type": "text", "text": RESULT}]}}]}, GOOSE[3]]
KIMI_EVENTS = [
    {"type": "step.begin", "uuid": "s", "turnId": "0", "step": 1},
    {"type": "content.part", "uuid": "p", "part": {"type": "think", "think": "They want the files."}},
    {"type": "tool.call", "uuid": "c", "toolCallId": "c", "name": "ls", "args": {"path": "."}},
    {"type": "tool.result", "parentUuid": "c", "toolCallId": "c", "result": {"output": RESULT}},
    {"type": "content.part", "uuid": "q", "part": {"type": "text", "text": ANSWER}},
]
KIMI = [
    {"type": "metadata", "protocol_version": "1.4", "created_at": 1},
    {"type": "config.update", "profileName": "agent", "systemPrompt": "You are Kimi.", "time": 1},
    {"type": "turn.prompt", "input": [{"type": "text", "text": QUESTION}], "origin": {"kind": "user"}, "time": 2},
    {"type": "context.append_message", "message": {"role": "user", "content": [{"type": "text", "text": QUESTION}],
                                                    "toolCalls": []}, "time": 2},
    *({"type": "context.append_loop_event", "event": event, "time": 3} for event in KIMI_EVENTS),
]
KIMI_WIRE = [
    {"timestamp": 1.0, "message": {"type": "TurnBegin", "payload": {"user_input": QUESTION}}},
    {"timestamp": 2.0, "message": {"type": "ContentPart", "payload": {"type": "text", "text": ANSWER}}},
]
DROID = [
    {"type": "session_start", "id": "s", "title": "x", "owner": "o", "version": 2, "cwd": "/p"},
    {"type": "message", "id": "1", "timestamp": TIME, "message": {"role": "user", "content": [{"type": "text", "text": QUESTION}]}},
    {"type": "message", "id": "2", "timestamp": TIME, "parentId": "1", "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": "c", "name": "ls", "input": {}}]}},
    {"type": "message", "id": "3", "timestamp": TIME, "parentId": "2", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c", "content": RESULT}]}},
    {"type": "message", "id": "4", "timestamp": TIME, "message": {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}},
]
DROID_STREAM = [
    {"type": "system", "subtype": "init", "sessionId": "s", "timestamp": 1, "model": "m", "cwd": "/p", "tools": ["Execute"]},
    {"type": "message", "sessionId": "s", "timestamp": 2, "role": "user", "text": QUESTION, "id": "1"},
    {"type": "tool_call", "sessionId": "s", "timestamp": 3, "id": "c", "messageId": "1", "toolId": "ls", "toolName": "ls",
     "parameters": {"path": "."}},
    {"type": "tool_result", "sessionId": "s", "timestamp": 4, "id": "c", "toolId": "ls", "isError": False, "value": RESULT},
    {"type": "message", "sessionId": "s", "timestamp": 5, "role": "assistant", "text": ANSWER, "id": "2"},
    {"type": "completion", "sessionId": "s", "timestamp": 6, "finalText": ANSWER},
]
GROK = [
    {"type": "system", "content": "You are Grok."},
    {"type": "user", "content": [{"type": "text", "text": QUESTION}], "prompt_index": 0},
    {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "They want the files."}]},
    {"type": "assistant", "content": "", "tool_calls": [{"id": "c", "name": "ls", "arguments": "{}"}], "model_id": "grok"},
    {"type": "tool_result", "tool_call_id": "c", "content": RESULT},
    {"type": "assistant", "content": ANSWER, "model_id": "grok"},
]
GROK_EXPORT = {"conversations": [{"conversation": {"id": "g"}, "responses": [
    {"response": {"message": QUESTION, "sender": "human"}}, {"response": {"message": ANSWER, "sender": "ASSISTANT"}}]}]}
VS_CODE = {"responderUsername": "GitHub Copilot", "initialLocation": "panel", "requests": [
    {"requestId": "r", "message": {"text": QUESTION, "parts": []}, "response": [
        {"kind": "toolInvocationSerialized", "toolId": "ls"}, {"value": ANSWER[:9]}, {"value": ANSWER[9:]}]}]}
CHATGPT_NODES = {
    "root": {"id": "root", "message": None, "parent": None, "children": ["u"]},
    "u": {"id": "u", "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [QUESTION]}},
          "parent": "root", "children": ["a", "b"]},
    "a": {"id": "a", "message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["Wrong."]}},
          "parent": "u", "children": []},
    "b": {"id": "b", "message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": [ANSWER]}},
          "parent": "u", "children": []},
}
CHATGPT = {"title": "x", "create_time": 1.0, "mapping": CHATGPT_NODES, "current_node": "b"}
AIDER = f"""
# aider chat started at 2026-01-01 00:00:00

> Aider v0.86.2
> Main model: m

#### {QUESTION}

{ANSWER}

It is short.

> Tokens: 1k sent, 20 received.
"""
SPECSTORY = f"""<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2026-01-01 00:00:00Z

_**User (2026-01-01 00:00:00Z)**_

{QUESTION}

---

_**Agent (m 2026-01-01 00:00:01Z)**_

{ANSWER}
"""
GEMINI_STREAM = [
    {"type": "init", "timestamp": TIME, "session_id": "s", "model": "gemini-3-pro"},
    {"type": "message", "timestamp": TIME, "role": "user", "content": QUESTION},
    {"type": "message", "timestamp": TIME, "role": "assistant", "content": "I l", "delta": True},
    {"type": "tool_use", "timestamp": TIME, "tool_name": "ls", "tool_id": "ls-1", "parameters": {}},
    {"type": "tool_result", "timestamp": TIME, "tool_id": "ls-1", "status": "success", "output": RESULT},
    {"type": "result", "timestamp": TIME, "status": "success", "stats": {}},
]
OH_MY_OPENCODE = [
    {"type": "user", "timestamp": TIME, "content": QUESTION},
    {"type": "tool_use", "timestamp": TIME, "tool_name": "ls", "tool_input": {}},
    {"type": "tool_result", "timestamp": TIME, "tool_name": "ls", "tool_input": {}, "tool_output": {"output": RESULT}},
]
MANAGED = [
    {"id": "sevt_1", "type": "session.status_running", "processed_at": TIME},
    {"id": "sevt_3", "type": "user.message", "content": [{"type": "text", "text": QUESTION}], "processed_at": TIME},
    {"id": "sevt_2", "type": "agent.message", "content": [{"type": "text", "text": ANSWER}], "processed_at": TIME},
]
ANTIGRAVITY = [
    {"step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT", "status": "DONE", "content": QUESTION},
    {"step_index": 1, "source": "MODEL", "type": "PLANNER_RESPONSE", "status": "DONE", "tool_calls": [{"name": "ls", "args": {}}]},
    {"step_index": 2, "source": "MODEL", "type": "LIST_DIRECTORY", "status": "DONE", "content": RESULT},
    {"step_index": 3, "source": "MODEL", "type": "PLANNER_RESPONSE", "status": "DONE", "content": ANSWER},
]
COPILOT = [
    {"type": "session.start", "id": "d", "parentId": None, "timestamp": TIME, "data": {"sessionId": "s"}},
    {"type": "user.message", "id": "e", "parentId": "d", "timestamp": TIME, "data": {"content": QUESTION}},
    {"type": "assistant.message", "id": "f", "parentId": "e", "timestamp": TIME, "data": {"messageId": "m", "content": ANSWER}},
]
ENTIRE = [
    {"v": 1, "agent": "opencode", "cli_version": "0.5.1", "type": "user", "ts": TIME, "content": [{"id": "p", "text": QUESTION}]},
    {"v": 1, "agent": "opencode", "cli_version": "0.5.1", "type": "assistant", "ts": TIME, "id": "m", "content": []},
]
CONTINUE = {"sessionId": "s", "title": "x", "history": [
    {"message": {"role": "user", "content": QUESTION}, "contextItems": []},
    {"message": {"role": "assistant", "content": ANSWER}, "contextItems": []},
]}
HERMES = {"session_id": "s", "reason": "x", "request": {"method": "POST", "body": {"messages": [*OPENAI, {"role": "assistant", "content": ANSWER}]}}}
TAU2 = {"info": {}, "tasks": [], "simulations": [{"id": "s", "messages": [*OPENAI, {"role": "assistant", "content": ANSWER}]}]}

SAMPLES = (
    Sample("UIMessages", (UI_MESSAGES,), words=WITH_CALL),
    Sample("UIMessages", tuple(UI_MESSAGES), words=WITH_CALL),
    Sample("UIMessages", ({"id": "chat", "messages": UI_MESSAGES, "trigger": "submit-message"},), words=WITH_CALL),
    Sample("UIMessages", (UI_MESSAGES_OF_4,), words=WITH_CALL),
    Sample("state of LangGraph", (STATE,), words=WITH_CALL),
    Sample("state of LangGraph", ({"thread_id": "t", "status": "idle", "values": {"messages": LANGCHAIN}, "interrupts": {}},), words=WITH_CALL),
    Sample("state of LangGraph", ([STATE, {**STATE, "values": {"messages": []}}],), words=WITH_CALL),
    Sample("LangSmith", (LANGSMITH,), words=WITH_CALL),
    Sample("LangSmith", tuple(LANGSMITH), words=WITH_CALL),
    Sample("LangSmith", (LANGSMITH_OF_OPENAI,), words=WITH_CALL),
    Sample("Langfuse", (OBSERVATION,), words=WITH_CALL),
    Sample("Langfuse", ({"id": "t", "name": "x", "observations": [OBSERVATION]},), words=WITH_CALL),
    Sample("Langfuse", ({"data": [OBSERVATION], "meta": {"page": 1}},), words=WITH_CALL),
    Sample("messages of AutoGen", (AUTOGEN,), words=WITH_CALL),
    Sample("messages of AutoGen", tuple(AUTOGEN), words=WITH_CALL),
    Sample("messages of AutoGen", ({"messages": AUTOGEN, "stop_reason": None},), words=WITH_CALL),
    Sample("state of AutoGen", (AUTOGEN_STATE,), words=WITH_CALL),
    Sample("state of AutoGen", ({"type": "TeamState", "version": "1.0.0", "agent_states": {"lister": {"agent_state": AUTOGEN_STATE}}},), words=WITH_CALL),
    Sample("smolagents", (STEPS,), words=(("system", "You are an agent."), ("user", QUESTION), ("assistant", "ls"), ("user", RESULT), ("assistant", ANSWER))),
    Sample("smolagents", ({"steps": STEPS[2:]},), words=(("assistant", "ls"), ("user", RESULT), ("assistant", ANSWER))),
    Sample("Inspect", (INSPECT_LOG,), words=WITH_CALL),
    Sample("Inspect", (INSPECT_SAMPLE,), words=WITH_CALL),
    Sample("Inspect", (INSPECT,), words=WITH_CALL),
    Sample("Cline", (CLINE,)),
    Sample("items from OpenAI", ({"object": "list", "data": ITEMS, "first_id": "msg_1", "last_id": "msg_2", "has_more": False},), words=WITH_CALL),
    Sample("goose", ({"working_dir": "/p", "description": "x", "message_count": 4}, *GOOSE_OF_1), words=WITH_CALL),
    Sample("goose", ({"id": "s", "working_dir": "/p", "conversation": GOOSE},), words=WITH_CALL),
    Sample("goose", ({"messages": GOOSE, "metadata": {"status": "completed"}},), words=WITH_CALL),
    Sample("goose", tuple({"type": "message", "message": message} for message in GOOSE), words=WITH_CALL),
    Sample("Kimi CLI", tuple(KIMI_WIRE)),
    Sample("Kimi Code", tuple(KIMI), words=WITH_CALL),
    Sample("session of Factory's Droid", tuple(DROID), words=WITH_CALL),
    Sample("session of Factory's Droid", tuple(DROID[1:]), words=WITH_CALL),
    Sample("stream of Droid", tuple(DROID_STREAM), words=WITH_CALL),
    Sample("Grok's CLI", tuple(GROK), words=(("system", "You are Grok."), *WITH_CALL)),
    Sample("grok.com", (GROK_EXPORT,), words=DIALOGUE),
    Sample("exported chat of VS Code", (VS_CODE,), words=DIALOGUE),
    Sample("chat session of VS Code", ({"kind": 0, "v": {"version": 3, "responderUsername": "GitHub Copilot", "requests": []}}, {"kind": 2, "k": ["requests"], "v": []})),
    Sample("ChatGPT", ([CHATGPT, {**CHATGPT, "title": "y"}],), words=DIALOGUE),
    Sample("ChatGPT", (CHATGPT,), words=DIALOGUE),
    Sample("Aider", text=AIDER, words=(("user", QUESTION), ("assistant", f"{ANSWER}\n\nIt is short."))),
    Sample("SpecStory", text=SPECSTORY, words=DIALOGUE),
    Sample("SpecStory", text=SPECSTORY.replace(", Markdown v2.1.0", ""), words=DIALOGUE),
    Sample("stream of Gemini CLI", tuple(GEMINI_STREAM)),
    Sample("stream of Gemini CLI", tuple(GEMINI_STREAM[1:])),
    Sample("oh-my-opencode", tuple(OH_MY_OPENCODE)),
    Sample("oh-my-opencode", (OH_MY_OPENCODE[0], OH_MY_OPENCODE[2])),
    Sample("Managed Agents", tuple(MANAGED), words=DIALOGUE),
    Sample("Managed Agents", tuple({"role": "agent", "kind": "message", "content": ANSWER, "raw": event} for event in MANAGED), words=DIALOGUE),
    Sample("wasa", tuple({"role": "", "content": "", "timestamp": TIME, "raw": event} for event in COPILOT), words=DIALOGUE),
    Sample("OpenClaw", ({"traceSchema": "openclaw-trajectory", "schemaVersion": 1, "type": "session.started", "seq": 1, "data": {}},)),
    Sample("Entire", tuple(ENTIRE)),
    Sample("Antigravity", tuple(ANTIGRAVITY), words=(("user", QUESTION), ("user", f"LIST_DIRECTORY:\n{RESULT}"), ("assistant", ANSWER))),
    Sample("Continue", (CONTINUE,), words=DIALOGUE),
    Sample("Hermes", (HERMES,), words=WITH_CALL),
    Sample("tau2-bench", (TAU2,), words=WITH_CALL),
    Sample("Claude.ai", ([CHAT],), words=DIALOGUE),
    Sample("Claude.ai", ([{**CHAT, "chat_messages": []}, CHAT],)),
    Sample("Claude.ai", (CHAT,), words=DIALOGUE),
)


def find_row(sample: Sample) -> UnreadFormat:
    """Return the row of a sample, the only one with its name."""
    (row,) = (row for row in UNREAD_FORMATS if sample.name in row.name)
    return row
