"""What hosts and prompt frameworks write around the words of a user, as data."""

HOST_TAGS = (
    *("system-reminder", "system_reminder", "environment_context", "user_instructions", "local-command-stdout"),
    *("local-command-stderr", "local-command-caveat", "command-message", "command-contents", "bash-stdout"),
    *("bash-stderr", "ide_opened_file", "ide_selection", "ide_diagnostics", "environment_details"),
    *("uploaded_files", "attached_files", "attachments", "attachment", "open_and_recently_viewed_files", "user_info"),
    *("project_layout", "git_status", "editorContext", "workspace_info", "environment_info", "repoMemory"),
    *("reminderInstructions", "INSTRUCTIONS", "permissions", "permissions instructions", "turn_aborted"),
    *("task-notification", "EXTRA_INFO", "RUNTIME_INFORMATION", "REPOSITORY_INFO", "current_datetime"),
    *("function_results", "available_skills", "agent_skills", "cursor_rules", "always_applied_workspace_rules"),
    *("toolReferences", "conversation-summary", "session-start-hook", "user-prompt-submit-hook", "new-diagnostics"),
    *("collaboration_mode", "subagent_notification", "hook_context", "hooks_context", "skill-context"),
    *("skills_instructions", "apps_instructions", "plugins_instructions", "mcp_instructions", "session_context"),
)
"""Elements that a host adds to a message of the user."""
CONTEXT_TAGS = (
    *("context", "instructions", "rules", "memory", "memories", "file", "files", "file_content", "document"),
    *("documents", "skill", "skills", "example", "examples", "format_example", "output_format"),
)
"""Elements that accompany a request; they stay in a message that contains nothing else."""
REQUEST_TAGS = (
    *("user_query", "userRequest", "user_message", "user_request", "user-request", "request", "query", "question"),
    *("task", "feedback", "prompt", "objective", "bash-input"),
)
"""Elements that contain the words of the user."""
INSTRUCTIONS = ("# AGENTS.md instructions", "<user_instructions>", "<environment_context>")
"""Beginnings of messages with the role of the user that hold the instructions of a project or a host."""
NOTICES = (
    *("# AGENTS.md instructions", "Caveat: The messages below were generated", "[Request interrupted"),
    *("This session is being continued from a previous", "Another language model started to solve this problem"),
    *("Stop hook feedback", "API Error", "Base directory for this skill: ", "[ERROR] You did not use a tool in your"),
    *("The last command <command>", "Your output was not formatted correctly", "Format error:", "Tool call error:"),
    *("Here is a demonstration of how to correctly", "A background task ", "No tool calls found in the response"),
    *("This is the Gemini CLI. We are setting up the context", "This is the Qwen Code. We are setting up the context"),
    *("exitcode: ", "Previous response had ", "Interrupted by user: ", "System: Please continue"),
    *("Please continue working on the task on whatever", "An async command you ran earlier has completed."),
)
"""Beginnings of messages that a host wrote with the role of the user."""
LEADS = (
    *("## My request for Codex:", "# My request for Codex:"),
    "Command not executed. The user rejected your command with the following message:",
)
"""Lines of a host before the words of the user; what stands before them is of the host too."""
REFUSALS = (
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
)
"""Beginnings of the result of a call that the user refused."""
REFUSAL_LEADS = ("the user said:", "The user provided the following reason for the rejection:")
"""What stands before the words of the user in such a result."""
ANSWERS = ("User has answered your questions: ", "Your questions have been answered: ")
"""Beginnings of results that state a choice of the user."""
ASKING_TOOLS = ("AskUserQuestion", "ask_user", "ask_user_question", "ask_followup_question", "request_user_input")
"""Tools whose results the user writes: the output of another one may begin likewise."""
APPROVAL, PLAN = "User has approved your plan.", "plan"
"""Beginning of the result of a call whose plan the user approved, and the argument with the plan."""
FEEDBACK_TAGS = ("feedback", "user_message", "answer")
"""Elements with the words of the user in a message that holds the result of a tool, as Cline writes them."""
HOST_COMMANDS = (
    *("/exit", "/quit", "/clear", "/compact", "/model", "/login", "/logout", "/config", "/cost", "/context", "/help"),
    *("/resume", "/status", "/usage", "/permissions", "/mcp", "/memory", "/agents", "/hooks", "/doctor"),
)
"""Commands of hosts that ask the agent for nothing."""
TYPED_TAGS = ("<command-name>", "<bash-input>")
"""Marks of messages that a host wrote for what a user typed."""
EDIT_NOTE = ("[ctxkit edit] Message", "[End of what stands for earlier messages.]")
"""Beginning and end of the note that ``ctxkit edit`` puts in place of messages."""
