"""Define the rules of the DUP family for ``explain`` and the documentation."""

from ctxkit.core.lint.document.rule import INFO, WARNING, Rule

RULES = (
    Rule(
        "DUP001",
        "duplicate-in-file",
        WARNING,
        "safe",
        "A file contains the same statement or section twice, in the same scope; formatting, case and blanks do not "
        "count.",
        "Every turn pays for both copies, and the next edit changes only one of them. The scope of a statement are the "
        "bullets above it, the line that introduces it, and headings that say when or for what it applies: a step "
        "before and after an action, a parameter of two commands or a branch of two decisions is no copy.",
        "- Always run the linter before you commit.\n...\n* **Always** run the linter before you commit",
        "- Always run the linter before you commit.",
        "Without the scope, readers of findings on 61 public workspaces called 4 of 30 useful.",
    ),
    Rule(
        "DUP002",
        "duplicate-across-files",
        WARNING,
        "safe",
        "Two files that an agent loads together contain the same statement, in the same scope.",
        "The cost is computed for each load set: two copies that no agent loads together waste nothing. All copied and "
        "restated parts of two files are one finding, and single statements count from 50 tokens together; in the "
        "files of a persona, each statement is a finding. The linter "
        "keeps the copy in the instructions, else the one in the file about the topic, else the one in the memory. A "
        "fix is safe only if each tool that loads the copy also loads the one that stays.",
        "AGENTS.md:   - Assumptions are forbidden here.\nSOUL.md:     - Assumptions are forbidden here.",
        "AGENTS.md:   - Assumptions are forbidden here.",
        "Without the scope, readers of findings on 61 public workspaces called 5 of 26 useful.",
    ),
    Rule(
        "DUP003",
        "near-duplicate",
        WARNING,
        "unsafe",
        "A section says in other words what a section of another file says, and both are loaded on every turn.",
        "Either several statements have a counterpart with nearly the same words, or one statement alone has most of "
        "its words in one statement, or in a few neighbouring statements that it sums up. Rare words weigh more than "
        "common words. Different numbers, names or negations are no counterparts. Within a file, a checklist or an "
        "overview repeats words on purpose, and is not compared. More than three restated sections of two files are "
        "one finding.",
        "AGENTS.md:   - For each failure: verify it is reproducible before reporting.\n"
        "SOUL.md:     - Always verify a failure is reproducible before reporting it.",
        "AGENTS.md:   - Always verify a failure is reproducible before reporting it.",
        "On 39 public workspaces on which nothing was tuned, a reader called 33 of 44 findings useful, and none false.",
    ),
    Rule(
        "DUP004",
        "said-three-times",
        WARNING,
        "safe",
        "A statement occurs in three or more places of one window, in the same scope.",
        "All places form one finding, so that you can choose the one to keep.",
        "SOUL.md:      - Be concise in all answers.\nAGENTS.md:    - Be concise in all answers.\n"
        "prompt.txt:   - Be concise in all answers.",
        "SOUL.md:      - Be concise in all answers.",
        "Without the scope, readers of findings on 61 public workspaces called 9 of 36 useful.",
    ),
    Rule(
        "DUP005",
        "copied-section",
        WARNING,
        "unsafe",
        "Two files are equal, or three quarters of one are in the other; or, if an agent loads both, they share a "
        "block of 30 lines or three consecutive statements; or half of the statements are in a file for another tool.",
        "All equal files are one finding. The finding says what the copies cost "
        "in each tool and how to do without them: an import (@AGENTS.md), a symbolic link, or nothing if the tool "
        "reads AGENTS.md. If no agent loads both files, no tokens are wasted, but somebody must keep both files in "
        "sync. Templates, examples and archives are not compared.",
        "CLAUDE.md holds the same text as AGENTS.md.",
        "CLAUDE.md:\n@AGENTS.md",
        "Symbolic links counted as copies are a known complaint of other tools (OpenHands/software-agent-sdk 2600).",
    ),
    Rule(
        "DUP006",
        "drifted-copy",
        WARNING,
        "none",
        "A copied passage differs in one of its places: another number, name or path.",
        "Diverging copies are worse than identical ones, because they give the agent two different instructions.",
        "AGENTS.md:   - Build with `make all`.\n             - Port 8080.\n             - Run `make test`.\n"
        "CLAUDE.md:   - Build with `make all`.\n             - Port 9090.\n             - Run `make test`.",
        "One of them, imported by the other.",
        "Maintainers' reports: wshobson/agents 643, anthropics/claude-plugins-official 490.",
    ),
    Rule(
        "DUP007",
        "restated-reference",
        INFO,
        "none",
        "A statement refers to another file and repeats its content.",
        "The other file is already in the window. Either the reference or the repetition is enough.",
        "AGENTS.md:   - Narrate before each tool call, in one short sentence (see SOUL.md).",
        "AGENTS.md:   - Narration: see SOUL.md.",
        "The design document of this linter lists such rows as cross-references.",
    ),
    Rule(
        "DUP009",
        "copied-directory",
        INFO,
        "none",
        "Files that no agent loads together share a block of 30 lines or more, or are equal and kept for several "
        "tools: skills, agents, commands or rules.",
        "Most such copies are there on purpose: each tool looks in its own directory, and skills share a procedure. "
        "They cost no tokens. Somebody must keep them in sync. All files of the same directories are one finding; "
        "those that a program writes, as their first lines say, are none.",
        ".claude/skills and .github/skills hold the same 12 skills.",
        ".claude/skills holds the skills, and .github/skills is a symbolic link to it.",
        "Readers of public workspaces knew of such copies: see docs/benchmarks.md.",
    ),
)
