"""Planting what compaction, chats and copying leave behind, and what looks like it and is meant."""

import random
import string
from collections.abc import Callable

from bench.lint.desk import Desk, Plant
from bench.lint.sheet import Sheet

MEMORIES = ("MEMORY.md", "memory/2026-02-13.md")
SELF = (
    "I should prompt them to specify the file locations before going on.",
    "The conversation history highlights the need to read files directly.",
    "Let me summarize the conversation so far.", "The user wants me to keep the earlier summary verbatim.",
    "In this summary I will list the key points of our discussion.",
    "I need to remember to ask the user for the missing paths.",
    "Based on the conversation above, the assistant should continue with the task.",
    "The previous summary did not contain any file paths, so I should ask again.",
)
THOUGHTS = (
    "Okay, let's see. The user wants the files read directly.",
    "Hmm, the summary seems to lose verbatim content, so the tool is needed.",
    "Wait, the last message mentioned another folder. I'll check that first.",
    "First, the question is about invoices. The table has three of them.",
    "Maybe the tests fail because of the clock. Let me think about time zones.",
    "So the answer has to be short, and the tone friendly.", "The tool returned nothing. Perhaps the path was wrong.",
    "I could list the folders, but the user asked for files only.",
)
TRUNCATED = (
    "[truncated at 8 chars]", "... [truncated at 25KB]", "[TRUNCATED AT 30 MB]", "[output truncated]",
    "... (truncated)",
    "…[truncated at 4000 characters — only the content above is visible]", "[... 214 lines omitted ...]",
    "<response clipped>",
)  # fmt: skip
LABELS = (
    ("User: can you look at the failing build?", "Assistant: Sure, I will read the log first."),
    ("**User:** please book the train\n", "**Assistant:** Done, the seat is in coach four."),
    ("Human: what is left to do?", "AI: Two reviews and the changelog."),
    ("user: restart it", "assistant: The service is up again."),
)
HISTORY = (
    ("## Session 2026-02-14", "- Fixed the login form and pushed the branch", "- Next: wait for the review"),
    ("## 2026-02-11 Session Summary", "- Talked about the invoice export", "- Left off at the second test"),
    ("## Compaction Summary (2026-02-16T11:39:46Z)", "- Read three files and answered two questions"),
    ("## Session history", "- 2026-02-09: set up the project", "- 2026-02-10: wrote the parser"),
)
MOJIBAKE = (
    "Donâ€™t rename the folder of the quarterly reports",
    "The cafÃ© opens at nine and closes when the last guest leaves",
    "Say â€œready for reviewâ€\x9d once the draft is complete",
    "The office in MÃ¼nchen is closed during the first week of August",
)
HIDDEN = ("\u200b", "\u200b\u200b", "\ufeff", "\u202e", "\u2060")
FINE = (
    "Le café de la Bibliothèque ouvre à neuf heures pour les élèves",
    "نسخه‌های قدیمی را نمی‌توان بدون پشتیبان پاک کرد",
    "The 👩‍💻 emoji marks tasks for engineers and 👨‍👩‍👧 those for families",
    "São Paulo, Århus and Âge are spelled with their accents everywhere",
)
OPENED = ("```bash", "```", "~~~python", "````markdown", "```json")
NESTED = (
    ["````markdown", "```bash", "git status", "```", "````"],
    ["~~~text", "```", "an opening fence inside another kind", "~~~"],
    ["```js", "const fence = '~~~';", "```"],
    ["1. Do this first:", "", "   ```bash", "   git status", "   ```"],
)


def _letters(chance: random.Random, many: int, of: str = string.ascii_letters + string.digits) -> str:
    return "".join(chance.choice(of) for _ in range(many))


def secret(chance: random.Random) -> str:
    """Return a made secret in the form of a real one; nothing like it stands in the source, so no scanner stirs."""
    upper = string.ascii_uppercase + "234567"
    return chance.choice((
        lambda: "AK" + "IA" + _letters(chance, 16, upper), lambda: "gh" + "p_" + _letters(chance, 36),
        lambda: "sk-" + "ant-api03-" + _letters(chance, 93) + "AA",
        lambda: "xox" + "b-" + _letters(chance, 12, string.digits)
        + "-" + _letters(chance, 13, string.digits) + "-" + _letters(chance, 24),
        lambda: "gl" + "pat-" + _letters(chance, 20),
        lambda: "AI" + "za" + _letters(chance, 35), lambda: "sk_" + "live_" + _letters(chance, 24),
        lambda: "sk-" + "proj-" + _letters(chance, 48), lambda: "np" + "m_" + _letters(chance, 36),
    ))()  # fmt: skip


def _plant(desk: Desk, kind: str, code: str, path: str, lines: list[str]) -> Plant:
    plant = desk.plant("hygiene", kind, (code,))
    desk.put(path, lines, plant)
    return plant


def thinking(desk: Desk) -> None:
    """Leak a block of thoughts into a memory, closed or not."""
    tag, path = desk.chance.choice(("think", "thinking", "thinking")), desk.chance.choice(MEMORIES)
    thoughts = [desk.once(THOUGHTS), desk.once(THOUGHTS)]
    lines = [f"<{tag}>", *thoughts, f"</{tag}>"] if desk.chance.random() < 0.8 else [f"<{tag}> {thoughts[0]} </{tag}>"]
    _plant(desk, "thinking", "HYG001", path, lines)


def self_referential(desk: Desk) -> None:
    """Leave what a summary says of itself in a memory."""
    _plant(desk, "self-referential", "HYG002", desk.chance.choice(MEMORIES), [desk.once(SELF)])


def labels(desk: Desk) -> None:
    """Leave a piece of a chat in the long memory."""
    items = [row for part in desk.chance.choice(LABELS) for row in part.split("\n")]
    _plant(desk, "role labels", "HYG003", "MEMORY.md", items)


def history(desk: Desk) -> None:
    """Leave the history of a session in the long memory."""
    plant = desk.plant("hygiene", "session history", ("HYG003",))
    desk.sheets["MEMORY.md"].end(list(desk.chance.choice(HISTORY)), (plant.name, 0))


def truncate(desk: Desk) -> None:
    """Leave the mark of a cut in a document."""
    path = desk.chance.choice(MEMORIES)
    _plant(desk, "truncation", "HYG004", path, [f"- The report lists the open items {desk.chance.choice(TRUNCATED)}"])


def leave_open(desk: Desk) -> None:
    """Open a fence at the end of a document of its own and never close it."""
    path = f".claude/skills/howto-{len(desk.plants)}/SKILL.md"
    plant = desk.plant("hygiene", "unclosed fence", ("HYG005",))
    plant.whole_file = True
    opened = desk.chance.choice(OPENED)
    head = ["---", "name: howto", "description: How to begin", "---", "", "# How to begin", "", "Type this:", ""]
    desk.sheets[path] = _sheet([*head, opened, "git status", "", "Then read what it says."], (plant.name, 0))


def garble(desk: Desk) -> None:
    """Leave text in a wrong encoding, or with characters that nobody sees."""
    path = desk.chance.choice(desk.documents())
    if desk.chance.random() < 0.5:
        _plant(desk, "mojibake", "HYG006", path, [f"- {desk.once(MOJIBAKE)}"])
        return
    text = desk.pool.take("en").text.replace("`", "")
    place = desk.chance.randrange(4, len(text) - 4)
    _plant(desk, "hidden character", "HYG006", path, [f"- {text[:place]}{desk.chance.choice(HIDDEN)}{text[place:]}"])


def leak(desk: Desk) -> None:
    """Leave a secret in a document."""
    value = secret(desk.chance)
    way = desk.chance.choice(("- The key for the billing service is {}", "- Log in with `{}`", "- export API_TOKEN={}"))
    _plant(desk, "secret", "HYG007", desk.chance.choice(desk.documents()), [way.format(value)]).secret = value


def lookalike(desk: Desk) -> None:
    """Plant something that looks like garbage and is meant, where no rule of hygiene may stir."""
    chance, skill = desk.chance, f".claude/skills/prompting-{len(desk.plants)}/SKILL.md"
    prose = chance.choice([path for path in desk.documents() if path != "MEMORY.md"])
    kinds: tuple[tuple[str, str, list[str]], ...] = (
        (
            "thinking in code",
            "memory/2026-02-13.md",
            ["```xml", "<thinking>", "first compare both numbers", "</thinking>", "```"],
        ),
        ("thinking in a skill", skill, ["Ask the model to reason inside <thinking> tags before it answers."]),
        ("thinking in backticks", "MEMORY.md", ["- The small model leaks `<think>` tags, so strip them"]),
        ("somebody else should prompt", prose, ["- The installer should prompt them to confirm the target folder"]),
        ("summary in code", prose, ["```text", "Let me summarize the conversation so far.", "```"]),
        ("labels in code", prose, ["```text", "User: hello", "Assistant: hello, how can I help?", "```"]),
        ("labels of a fact", "MEMORY.md", ["- User role: staff engineer in the data team"]),
        ("dates in a diary", "memory/2026-02-13.md", ["- 2026-02-13: shipped the export and closed the ticket"]),
        ("truncation told of", prose, ["- Logs are truncated at 8 KB by the collector, so read the stored file"]),
        ("truncation quoted", prose, ["- The mark `[truncated]` in a tool result means that more is stored"]),
        ("fences within fences", prose, list(NESTED[len(desk.plants) % len(NESTED)])),
        ("letters of other scripts", prose, [f"- {FINE[len(desk.plants) % len(FINE)]}"]),
        ("placeholder", prose, [f"- Set {_placeholders()[len(desk.plants) % 7]} in your environment"]),
        ("digest", prose, [f"- The reviewed commit is {_letters(chance, 40, '0123456789abcdef')}"]),
        ("uuid", prose, ["- The tenant for tests is 6f1c2a94-3c0e-4d5b-9a77-0d1e2f3a4b5c"]),
    )
    kind = desk.once([kind for kind, _, _ in kinds])
    path, lines = next((path, lines) for name, path, lines in kinds if name == kind)
    plant = desk.plant("look-alike", kind, quiet=("HYG",))
    if path == skill:
        head = [
            "---", "name: prompting", "description: Write prompts for reasoning models", "---", "", "# Prompting", "",
        ]
        desk.sheets[path] = _sheet([*head, *lines], (plant.name, 0))
    else:
        desk.put(path, lines, plant)


def _placeholders() -> tuple[str, ...]:
    return ("ghp_xxxxxxxxxxxxxxxxxxxx", "`OPENAI_API_KEY=sk-...`", "AKIAIOSFODNN7EXAMPLE", "`token: ${GITHUB_TOKEN}`",
            "`api_key=<your-api-key>`", "`password = os.environ['DB_PASSWORD']`", "`SECRET_KEY=changeme`")  # fmt: skip


def _sheet(rows: list[str], tag: tuple[str, int]) -> Sheet:
    return Sheet([(row, tag) for row in rows])


PLANTERS: tuple[tuple[Callable[[Desk], None], int], ...] = (
    (thinking, 1), (self_referential, 1), (labels, 1), (history, 1), (truncate, 1), (leave_open, 1), (garble, 2),
    (leak, 1),
    (lookalike, 5),
)  # fmt: skip
"""What is planted in a workspace, and how often."""
