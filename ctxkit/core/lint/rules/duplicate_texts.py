"""Define the rules of the DUP family for ``explain`` and the documentation."""

from ctxkit.core.lint.document.rule import INFO, WARNING, Rule

_PEERS = "Of 18 public workspaces, 12 had exact copies in files that are loaded together, and 16 had near copies."

RULES = (
    Rule(
        "DUP001",
        "duplicate-in-file",
        WARNING,
        "safe",
        "A file contains the same statement twice; formatting, case and blanks are ignored.",
        "Every turn pays for both copies, and the next edit changes only one of them.",
        "- Always run the linter before you commit.\n...\n* **Always** run the linter before you commit",
        "- Always run the linter before you commit.",
        _PEERS,
    ),
    Rule(
        "DUP002",
        "duplicate-across-files",
        WARNING,
        "safe",
        "Two files that an agent loads together contain the same statement.",
        "The cost is computed for each load set: two copies that no agent loads together waste nothing. The linter "
        "keeps the copy in the instructions, else the one in the file about the topic, else the one in the memory.",
        "AGENTS.md:   - Assumptions are forbidden: look it up.\nMEMORY.md:   - Assumptions are forbidden: look it up.",
        "AGENTS.md:   - Assumptions are forbidden: look it up.",
        _PEERS + " The median workspace wastes 3.4 % of what is always loaded, the worst 37.5 %.",
    ),
    Rule(
        "DUP003",
        "near-duplicate",
        WARNING,
        "unsafe",
        "Two statements in the same window say nearly the same.",
        "Rare words weigh more than common words; groups of characters are compared too. Different numbers, names, "
        "paths or negations count against a duplicate, and so does a different object (the search service, the mail"
        " service). A statement that is a sentence or the beginning of another counts as similar. A score of 0.74 "
        "or more is a warning; from 0.66 it is reported for information. A fix keeps the fuller statement. If both say "
        "something of their own, it removes only the sentences that both contain, or nothing.",
        "AGENTS.md:   - For each failure: verify it is reproducible before reporting.\n"
        "AGENTS.md:   - Always verify a failure is reproducible before reporting it.",
        "AGENTS.md:   - Always verify a failure is reproducible before reporting it.",
        "Word overlap alone: precision .81 at recall .70. No method tried found real paraphrases at a useful "
        "precision, embeddings included.",
    ),
    Rule(
        "DUP004",
        "said-three-times",
        WARNING,
        "safe",
        "A statement occurs in three or more places of one window.",
        "All places form one finding, so that you can choose the one to keep.",
        "SOUL.md:      - Be concise.\nAGENTS.md:    - Be concise.\nprompt.txt:   - Be concise.",
        "SOUL.md:      - Be concise.",
        "The design document of this linter lists triples by hand; no other linter groups them.",
    ),
    Rule(
        "DUP005",
        "copied-section",
        WARNING,
        "unsafe",
        "Another file contains the same section, the same three or more consecutive statements, or, for another tool, "
        "half or more of the same statements.",
        "Files that mirror each other are one finding, which says what the copies cost in each tool and how to do "
        "without them: an import (@AGENTS.md), a symbolic link, or nothing if the tool reads AGENTS.md. If no agent "
        "loads both files, no tokens are wasted, but somebody must keep both files in sync. No fix removes their "
        "lines.",
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
        "DUP008",
        "restates-project-file",
        INFO,
        "none",
        "A statement repeats the README or the description in package.json.",
        "An agent can read those files when it needs them. In its instructions they cost tokens on every turn.",
        "README.md:   Fast HTTP client with retries and caching.\n"
        "AGENTS.md:   Fast HTTP client with retries and caching.",
        "AGENTS.md:   See README.md for what this is.",
        "Two peers check the README against CLAUDE.md (agnix CC-MEM-010, aispekt readme-redundancy).",
    ),
)
