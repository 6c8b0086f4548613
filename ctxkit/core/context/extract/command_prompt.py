"""Prompts that a host makes of a command or a skill: what the user wrote after its name, apart from their template."""

import re
from typing import NamedTuple

from ctxkit.core.context.sentences import split_sentences

_FRONT_MATTER = re.compile(
    r"\s*---[ \t]*\n((?:\w[\w-]{1,40}:[^\n]*\n(?:(?:[ \t-][^\n]*)?\n)*?){1,20})---[ \t]*(?:\n|\Z)"
)
"""The head of the file of a prompt, between two lines of dashes."""
_KEY = re.compile(r"^([\w-]+):[ \t]*(.*(?:\n[ \t]+.*)*)", re.MULTILINE)
_KEYS = frozenset(
    (
        *("name", "description", "argument-hint", "allowed-tools", "tools", "model", "mode", "agent", "handoffs"),
        *("scripts", "agent_scripts", "subtask", "color", "version", "license", "metadata", "compatibility", "context"),
        *("disable-model-invocation", "user-invocable", "user-invokable", "arguments", "effort", "hooks", "id"),
        *("category", "tags"),
    )
)
"""Keys in the head of a prompt; a page of a site has others, such as a title or a date."""
_BLOCK_MARK = re.compile(r"[>|][+-]?\s+")
_INPUT = re.compile(
    r"^## User Input\s+```text\n(.*?)^```\s+You \*\*MUST\*\* consider the user", re.DOTALL | re.MULTILINE
)
"""The words that the user wrote after the name of a command of Spec Kit, in its template."""
_HOOK = re.compile(r"\bhooks\.before_([a-z]{3,20})\b")
"""The key with which a command of Spec Kit names itself since it has hooks."""
_SPEC_KIT = (
    ("constitution", "You are updating the project constitution"),
    ("specify", "is** the feature description"),
    ("clarify", "Detect and reduce ambiguity or missing decision points"),
    ("analyze", "Identify inconsistencies, duplications, ambiguities"),
    ("checklist", "Unit Tests for English"),
    ("taskstoissues", "ONLY PROCEED TO NEXT STEPS IF THE REMOTE IS A GITHUB URL"),
    ("plan", "/setup-plan."),
    ("tasks", "**Generate tasks.md**"),
    ("implement", "Execute implementation following the task plan"),
)
"""The other commands of Spec Kit, each with words that only its template has."""
_PREFIX = re.compile(r"/(speckit[.-])[a-z]")
_PLACEHOLDERS = ("$ARGUMENTS", "{{args}}", "$@")
"""What stands for the user's words in the file of a prompt; a host that does not replace it hands them over nowhere."""
_SKILL = re.compile(r"\s*<skill name=([\"'])([\w:.-]{1,80})\1(?: [a-z]+=\1[^\"'\n]*\1)*>\n")
_SKILL_END = "\n</skill>"
"""The tags that pi writes around the text of a skill, before the user's words."""
_REFERENCES = re.compile(r"References are relative to [^\n]*\n")
_HERMES = re.compile(r"\s*\[(?:SYSTEM|IMPORTANT): The user has invoked the \"([\w:-]{1,80})\" skill\b")
_HERMES_WORDS = re.compile(
    r"^The user has provided the following instruction alongside the skill[^:\n]{0,40}:[ \t]*(.+)", re.MULTILINE
)
"""What Hermes writes before the text of a skill, and before the words after its name."""
_SLASH_COMMAND = re.compile(
    r"<auto-slash-command>\n# /([\w:.-]{1,80}) Command\n(?:\n\*\*Description\*\*: ([^\n]*)\n)?"
    r"(?:\n\*\*User Arguments\*\*: )?"
)
_SLASH_FIELD = re.compile(r"\n\n\*\*(?:Model|Agent|Scope)\*\*: ")
"""What Oh My OpenCode makes of a command, and the line after the user's words."""
_CURSOR = re.compile(r"\s*--- Cursor Command: (?:[^\n]*/)?([\w:.-]{1,80}?)(?:\.md)? ---[ \t]*\n")
_CURSOR_END = "--- End Command ---"
"""The lines around the text of a command of Cursor, which is all of a message if the user wrote nothing else."""
_OPENSPEC = re.compile(
    r"<!-- OPENSPEC:START -->\s*\*\*Guardrails\*\*(.*?)(?:<!-- OPENSPEC:END -->|\Z)", re.DOTALL
)
_OPENSPEC_NAMES = (
    ("archive", "Determine the change ID to archive"),
    ("apply", "Track these steps as TODOs"),
    ("proposal", "change-id"),
)
_FRAME_TAG = re.compile(r"</?(?:ChangeId|UserRequest)>")
"""The template of a command of OpenSpec, its commands with words of each, and tags around the user's words."""
_PERSONA = re.compile(r"\s*# /([\w:.-]{1,80}) Command\s+When this command is used, adopt the following agent persona")
"""The beginning of what BMAD makes of a command."""
_ACTIVATION = re.compile(
    r"\s*(?:You must fully embody this agent's persona and follow all activation instructions"
    r"|IT IS CRITICAL THAT YOU FOLLOW THESE STEPS - while staying in character)"
)
_ACTIVE_FILE = re.compile(
    r"/(?:agents/([\w-]{1,60})\.\w{2,4}|workflows/(?:[\w-]{1,60}/){0,4}?([\w-]{1,60})/workflow\.)"
)
"""The beginning of a command of later versions of BMAD, and the file of the agent or the workflow that it loads."""
_INIT = re.compile(
    r"\s*(?:Generate a file named AGENTS\.md that serves as a contributor guide"
    r"|You are an AI agent that brings the power of \w+ directly into the terminal\. Your task is to analyze"
    r"|Please analyze this codebase and create an? [A-Z]+\.md file"
    r"|Analyze this codebase (?:to generate or update|and create an?) `?\.github/copilot-instructions\.md)[^\n]*\n"
)
"""The first line of what Codex, Gemini CLI, Claude Code, opencode and Copilot make of the command /init."""
_TITLE = re.compile(r"\s*#{1,3} (?:/([a-z][\w:.-]{1,60})(?=\s))?([^\n]*)\n")
_STRUCTURE = re.compile(r"^[#\d]", re.MULTILINE)
"""The title of a file of a prompt, with the name of its command, and the beginning of a heading or of a step."""
MIN_TEMPLATE = 300
"""Minimum characters of a prompt that has only a title, or a placeholder, to tell it from a request."""
_PARAGRAPH = re.compile(r"\s*(?:#{1,6} [^\n]*\n\s*)?((?:[^\n#][^\n]*(?:\n|\Z))+)")
"""The first paragraph of a text, after its title."""
NAMED_COMMAND = re.compile(r"(/(?:skill:|(?:speckit|openspec)[.-])[\w:.-]{1,80})(?: ([^\n]{1,120}))?")
"""A request that names the command or the skill which a prompt was made of, and what the user wrote after it."""
MIN_WORDS = 16
"""Minimum characters of the words after a command of Spec Kit that say alone what is to be done."""


class CommandPrompt(NamedTuple):
    """A command or a skill that the user ran: its name, the user's words after it, and what it says that it does."""

    name: str
    words: str = ""
    purpose: str = ""

    @property
    def request(self) -> str:
        """Return what the user typed: the name with the words; the purpose of a command whose name is unknown."""
        return f"{self.name} {self.words}".strip() or self.purpose


def read_command_prompt(text: str) -> CommandPrompt | None:
    """Return the command or the skill that a message is the prompt of, None for any other message.

    >>> read_command_prompt('<skill name="commit" location="/s">\\nCommit it.\\n</skill>\\n\\nonly a.py').request
    '/skill:commit only a.py'
    """
    text = text.replace("\r\n", "\n")
    readers = (_read_skill, _read_hermes_skill, _read_slash_command, _read_cursor_command, _read_built_in, _read_file)
    prompts = (read(text) for read in (*readers, _read_openspec_command, _read_titled_prompt))
    return next((prompt for prompt in prompts if prompt), None)


def _read_skill(text: str) -> CommandPrompt | None:
    """Return the skill of a message of pi; its text may contain closing tags, so that the last one counts."""
    skill = _SKILL.match(text)
    if not skill:
        return None
    body, end, words = text[skill.end() :].rpartition(_SKILL_END)
    body, words = (body, words) if end else (words, "")
    body = _REFERENCES.sub("", body, count=1)
    return CommandPrompt(f"/skill:{skill[2]}", words.strip(), _find_purpose(body))


def _read_hermes_skill(text: str) -> CommandPrompt | None:
    skill = _HERMES.match(text)
    words = _HERMES_WORDS.search(text) if skill else None
    return CommandPrompt(f"/{skill[1]}", words[1].strip() if words else "") if skill else None


def _read_slash_command(text: str) -> CommandPrompt | None:
    command = _SLASH_COMMAND.search(text) if "<auto-slash-command>" in text else None
    if not command:
        return None
    words = _SLASH_FIELD.split(text[command.end() :], 1)[0] if command[0].endswith("Arguments**: ") else ""
    return CommandPrompt(f"/{command[1]}", words.strip(), (command[2] or "").strip())


def _read_cursor_command(text: str) -> CommandPrompt | None:
    command = _CURSOR.match(text)
    if not command or text.partition(_CURSOR_END)[2].strip():
        return None
    return CommandPrompt(f"/{command[1]}", "", _find_purpose(text[command.end() :]))


def _read_built_in(text: str) -> CommandPrompt | None:
    """Return the command of a host, or the agent or the workflow of BMAD, that a message begins with."""
    if start := _INIT.match(text):
        return CommandPrompt("/init", "", _find_purpose(start[0]))
    if persona := _PERSONA.match(text):
        return CommandPrompt(f"/{persona[1]}")
    file = _ACTIVE_FILE.search(text) if _ACTIVATION.match(text) else None
    return CommandPrompt(f"/{file[1] or file[2]}") if file else None


def _read_openspec_command(text: str) -> CommandPrompt | None:
    """Return the command of OpenSpec with a template, and the words before and after that."""
    command = _OPENSPEC.search(text) if "<!-- OPENSPEC:START" in text else None
    if not command:
        return None
    words = _FRAME_TAG.sub("", f"{text[: command.start()]}\n{text[command.end() :]}").strip()
    name = next((name for name, mark in _OPENSPEC_NAMES if mark in command[1]), "")
    purpose = "" if name else _find_purpose(command[1])
    return CommandPrompt(f"/openspec-{name}" if name else "", "" if words in _PLACEHOLDERS else words, purpose)


def _read_titled_prompt(text: str) -> CommandPrompt | None:
    """Return the command whose prompt has its name in the title, or ends in the words that a host has filled in."""
    title = _TITLE.match(text) if len(text) >= MIN_TEMPLATE else None
    template, mark, words = text.rpartition("\n$ARGUMENTS\n")
    is_filled = bool(mark) and len(template) >= MIN_TEMPLATE and not _STRUCTURE.search(words)
    if title is None or not (title[1] or is_filled):
        return None
    words = words.strip() if is_filled else ""
    return CommandPrompt(f"/{title[1]}" if title[1] else "", words, title[2].strip(" -—–:"))


def _find_purpose(text: str) -> str:
    """Return the first sentence below the title of a text, empty without one."""
    paragraph = _PARAGRAPH.match(text)
    return next(split_sentences(" ".join(paragraph[1].split())), "") if paragraph else ""


def _read_file(text: str) -> CommandPrompt | None:
    """Return the command whose file is the message, with its head or without it."""
    if not text.lstrip().startswith(("---", "## ")):
        return None
    head = _FRONT_MATTER.match(text)
    fields = dict(_KEY.findall(head[1])) if head else {}
    body = text[head.end() :] if head else text
    user_input = _INPUT.match(body, max(body.find("## User Input"), 0))
    if not user_input and not ("description" in fields and _KEYS.issuperset(fields)):
        return None
    purpose = " ".join(_BLOCK_MARK.sub("", fields.get("description", "")).split()).strip("\"'")
    words = user_input[1].strip() if user_input else ""
    words = "" if words in _PLACEHOLDERS else words
    name = fields.get("name", "").strip("\"' /") or _name_command(body)
    name = name if " " not in name else ""
    if user_input and not (name or purpose):
        purpose = _find_purpose(body[user_input.end() :].partition("\n\n")[2])
    return CommandPrompt(f"/{name}" if name and len(words) < MIN_WORDS else "", words, purpose)


def _name_command(body: str) -> str:
    """Return the name of the command of Spec Kit with a template, empty for one of somebody else.

    The names of its first commands, whose templates have another heading, had no prefix.
    """
    prefix = _PREFIX.search(body)
    hook = _HOOK.search(body)
    name = hook[1] if hook else next((name for name, words in _SPEC_KIT if words in body), "")
    usual = "speckit." if "## User Input" in body else ""
    return f"{prefix[1] if prefix else usual}{name}" if name else ""
