"""The user's own words in a message, without what hosts put around and inside them."""

import re

from ctxkit.core.context.extract.command_prompt import read_command_prompt
from ctxkit.core.context.extract.elements import find_elements, replace_elements
from ctxkit.core.context.extract.pasted import drop_pasted

_HOST_TAGS = (
    *("system-reminder", "system_reminder", "environment_context", "user_instructions", "local-command-stdout"),
    *(
        "local-command-stderr",
        "local-command-caveat",
        "command-message",
        "command-contents",
        "bash-stdout",
        "bash-stderr",
    ),
    *("bash-input", "ide_opened_file", "ide_selection", "ide_diagnostics", "environment_details", "additional_data"),
    *("uploaded_files", "attached_files", "attachments", "attachment", "open_and_recently_viewed_files", "user_info"),
    *("project_layout", "git_status", "editorContext", "workspace_info", "environment_info", "repoMemory"),
    *("reminderInstructions", "INSTRUCTIONS", "permissions", "permissions instructions", "turn_aborted"),
    *("task-notification", "EXTRA_INFO", "RUNTIME_INFORMATION", "REPOSITORY_INFO", "current_datetime"),
    *("function_results", "available_skills", "agent_skills", "cursor_rules", "always_applied_workspace_rules"),
    *("toolReferences", "conversation-summary", "session-start-hook", "user-prompt-submit-hook", "new-diagnostics"),
    *("collaboration_mode", "subagent_notification", "hook_context"),
    *("reminder", "sql_tables", "recommended_plugins", "skills_instructions", "apps_instructions", "hook_prompt"),
    *("plugins_instructions", "multi_agent_mode", "user_shell_command", "user_action", "model_switch"),
    *("agent_transcripts", "cursor_commands", "manually_attached_skills", "mcp_instructions", "mcp_file_system"),
    *("agent_requestable_workspace_rules", "terminal_files_information", "external_links", "hooks_context"),
    *("skill-context", "session_context", "command-instruction"),
)
_CONTEXT_TAGS = (
    *(
        "context",
        "instructions",
        "rules",
        "memory",
        "memories",
        "file",
        "files",
        "file_content",
        "document",
        "documents",
    ),
    *("skill", "skills", "example", "examples", "format_example", "output_format"),
)
"""Tags of content that accompanies a request; it is removed unless the message contains nothing else."""
_REQUEST_TAGS = (
    "user_query",
    "userRequest",
    "user_message",
    "user_request",
    "user-request",
    "request",
    "query",
    "question",
    "task",
    "feedback",
    "prompt",
    "objective",
)
_BLOCK = re.compile(
    rf"<({'|'.join(map(re.escape, _HOST_TAGS))})(?:\s[^<>]*)?>.*?(?:</\1>|</permissions>|\Z)", re.DOTALL
)
_CONTEXT_TAG = re.compile(rf"<({'|'.join(_CONTEXT_TAGS)})(?:\s[^<>]*)?>")
_REQUEST_TAG = re.compile(rf"<({'|'.join(_REQUEST_TAGS)})(?:\s[^<>]*)?>")
_COMMAND_NAME = re.compile(r"<(command-name)>")
_COMMAND_ARGUMENTS = re.compile(r"<(command-args)>")
_HTML = (
    r"(?!(?:aside|button|canvas|div|form|html|img|label|nav|option|pre|select|span|strong|svg|table|tbody|thead)>)"
)
"""No element of a web page, which is code that the user quotes."""
_TAG = re.compile(rf"^[ \t]*</?{_HTML}[a-z][\w-]{{2,30}}>|</{_HTML}[a-z][\w-]{{2,30}}>[ \t]*$", re.MULTILINE)
_EDIT_NOTE = re.compile(
    r"\[ctxkit edit\] Messages? \d.*?(?:\[End of what stands for earlier messages\.\]|\Z)", re.DOTALL
)
"""The note that ``ctxkit edit summarize`` puts in place of messages, before or after the user's text."""
_CODEX = re.compile(r"##? My request for Codex:\s*", re.IGNORECASE)
_HOST_TEXT = re.compile(
    r"\s*(?:# AGENTS\.md instructions(?: for\b|\s*\n|\s*\Z)|<skill>\s*<name>"
    r"|Caveat: The messages below were generated|\[Request interrupted|\[Image:? "
    r"|This session is being continued from a previous|Here is a demonstration of how to correctly"
    r"|Stop hook feedback|\[Cache compaction|API Error|Another language model started to solve this problem"
    r"|Base directory for this skill: |\[ERROR\] You did not use a tool in your|Interrupted by user: |\[system\] "
    r"|Please always provide EXACTLY ONE action in triple backticks|The agent has finished\. Now running automated"
    r"|The last command <command>|A new session was started via /new or /reset\.|Pre-compaction memory flush\."
    r"|This is the [A-Z]\w{2,20} (?:CLI|Code)\. We are setting up the context for our chat"
    r"|Review the conversation above and (?:update the skill library|consider saving)\b"
    r"|Read HEARTBEAT\.md if it exists|You are running a boot check\.|An async command you ran earlier has completed\."
    r"|Read the output file to retrieve the result: |A scheduled reminder has been triggered\."
    r"|Use the above message and context to generate a prompt and call the task tool\b"
    r"|Unknown (?:skill|command|slash command): /?[\w:.-]{1,80}\s*\Z"
    r"|Continue where you left off\. The previous model attempt failed or timed out\."
    r"|OpenClaw runtime context \(internal\)|System: Please continue|Please continue working on the task on whatever"
    r"|Your (?:last )?output (?:was not formatted correctly|did not use any tool calls)|Format error:|Tool call error:"
    r"|A background task \"[^\"\n]{0,200}\" (?:just )?(?:completed|failed|timed out)|\[Queued announce messages"
    r"|You have not yet marked the task as complete using the task_complete tool"
    r"|\[\w{3,40}(?: for '[^'\n]{0,300}')?\] Result:(?![^<]*<(?:feedback|user_message|answer)>)"
    r"|exitcode: \d+ \(execution|No tool calls found in the response|Previous response had (?:parsing errors|warnings))"
)
"""The beginning of a message that a host wrote: a notice, a reminder, or a prompt at the start of a session."""
_CURRENT_MESSAGE = re.compile(r"^\[Current message - respond to this\][ \t]*\n(?:User: )?", re.MULTILINE)
"""What OpenClaw writes between the messages before, for context, and the one that it passes on."""
_SUBAGENT = re.compile(r"\A\s*+\[Subagent Context\][^\n]{0,600}\n\s*+\[Subagent Task\]:[ \t]*")
"""What OpenClaw writes before the task of a sub-agent."""
_EVENT_LINES = re.compile(r"\A(?:System(?: \(untrusted\))?:[^\n]*(?:\n|\Z)\s*)+")
"""The lines at the beginning of a message in which OpenClaw tells what happened."""
_CHANNEL_NOTE = re.compile(
    r"^[A-Z][\w ]{3,50} \(untrusted[^()\n]{0,40}\):[ \t]*\n```(?:json)?\n(?:(?!```)[^\n]{0,2000}\n){0,60}```[ \t]*\n?"
    r"|^\[Queued messages while agent was busy\][ \t]*\n|^---[ \t]*\nQueued #\d+[^\n]{0,80}\n"
    r"|^\[Bootstrap pending\][ \t]*\n(?:[^\n]+\n){0,20}"
    r"|^System(?: \(untrusted\))?: \[\d{4}-\d\d-\d\d [^\n]*\n?"
    r"|^\[[A-Z][^\[\]\n]{0,120} \d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)? [A-Z]{2,5}(?:[+-]\d{1,2}(?::\d\d)?)?"
    r"|T\d\d:\d\d(?::\d\d)?Z)\][ \t]*(?:ou_[0-9a-f]{32}: )?"
    r"|^\[media attached(?: \d+/\d+)?: [^\]\n]{1,600}\][ \t]*\n?"
    r"|^(?:New tools available: |The model has been switched from )[^\n]*\n?"
    r"|^\[Audio\][ \t]*\nUser text:[ \t]*\n|<media:\w{3,12}>[ \t]*(?:\n|\Z)(?:Transcript:[ \t]*\n)?"
    r"|^\[message_id: [^\]\n]{1,120}\][ \t]*\n?|^ou_[0-9a-f]{32}: "
    r"|^Untrusted context \(metadata[^()\n]{0,80}\):[ \t]*\n\s*<<<EXTERNAL_UNTRUSTED_CONTENT\b"
    r"(?:(?!<<<END_EXTERNAL)[^\n]{0,2000}\n){0,60}<<<END_EXTERNAL_UNTRUSTED_CONTENT\b[^\n]{0,80}\n?"
    r"|^To send an image back, prefer the message tool[^\n]*\n?",
    re.MULTILINE,
)
"""What OpenClaw writes around the text of a message: who sent it and when, that it had to wait, and what happened."""
_CHANNEL_MARK = re.compile(
    r"\(untrusted|^Untrusted context \(|\[Queued|\[media attached|^New tools available: "
    r"|^The model has been switched from |\[Bootstrap|^System: \[|\[message_id: "
    r"|^\[[A-Z][^\[\]\n]{0,120} \d{4}-\d\d-\d\d[ T]|^<media:\w",
    re.MULTILINE,
)
"""What every message with such a note contains."""
_HERMES_NOTE = re.compile(
    r"\A\s*\[(?:System note: Your previous turn was interrupted|Note: model was just switched)[^\]\n]{0,800}\]\s*"
)
"""What Hermes writes before a message of the user."""
REJECTION = re.compile(
    r"\A\s*+Command not executed\. The user rejected your command with the following message:[ \t]*", re.IGNORECASE
)
"""What mini-swe-agent writes before the reason that the user gives."""


def unwrap_message(text: str) -> str:
    """Return the user's own text of a message, empty if a host wrote all of it."""
    if "<command-name>" in text:
        parts = (next(find_elements(pattern, text), None) for pattern in (_COMMAND_NAME, _COMMAND_ARGUMENTS))
        return " ".join(filter(None, (part.content.strip() for part in parts if part)))
    if prompt := read_command_prompt(text):
        return prompt.request
    if _HOST_TEXT.match(text):
        return ""
    text = _HERMES_NOTE.sub("", text)
    text = REJECTION.sub("", _CHANNEL_NOTE.sub("", text) if _CHANNEL_MARK.search(text) else text)
    text = _SUBAGENT.sub("", text) if "[Subagent Context]" in text else text
    if current := _CURRENT_MESSAGE.search(text) if "[Current message" in text else None:
        text = text[current.end() :]
    text = drop_pasted(_EVENT_LINES.sub("", text) if text.startswith("System") else text)
    text = _EDIT_NOTE.sub("\n", text) if "[ctxkit edit]" in text else text
    text = _BLOCK.sub("\n", text) if "<" in text else text
    if prompt := read_command_prompt(text):
        return prompt.request
    if match := _CODEX.search(text):
        text = text[match.end() :]
    requests = [match.content.strip() for match in find_elements(_REQUEST_TAG, text)] if "</" in text else []
    if any(requests):
        return "\n".join(filter(None, requests))
    if "<" in text:
        bare = replace_elements(_CONTEXT_TAG, text, "\n")
        text = _TAG.sub("\n", bare if bare.strip() else text)
    return "" if _HOST_TEXT.match(text) else text.strip()
