"""Define the rules of the DUP family for ``explain`` and the documentation."""

from ctxkit.core.lint.document.rule import INFO, WARNING, Rule

_PEERS = "Of 18 public workspaces 12 had exact copies across files that are loaded together, 16 near ones."

RULES = (
    Rule(
        "DUP001",
        "duplicate-in-file",
        WARNING,
        "safe",
        "A statement stands twice in one file; format, case and blanks make no difference.",
        "Every turn pays for both, and the next edit changes only one of them.",
        "- Always run the linter before you commit.\n...\n* **Always** run the linter before you commit",
        "- Always run the linter before you commit.",
        _PEERS,
    ),
    Rule(
        "DUP002",
        "duplicate-across-files",
        WARNING,
        "safe",
        "A statement stands in two files that an agent loads together.",
        "What it costs is counted for each load set: two copies that no agent has in its window at once waste nothing. "
        "The copy to keep is that of the instructions, then of the file on one topic, then of the memory.",
        "AGENTS.md:   - Assumptions are forbidden: look it up.\nMEMORY.md:   - Assumptions are forbidden: look it up.",
        "AGENTS.md:   - Assumptions are forbidden: look it up.",
        _PEERS + " The median workspace wastes 3.4 % of what is always loaded, the worst 37.5 %.",
    ),
    Rule(
        "DUP003",
        "near-duplicate",
        WARNING,
        "unsafe",
        "Two statements in one window say nearly the same.",
        "Words are compared by how rare they are, and groups of characters; numbers, names, paths and negations "
        "that differ speak against a duplicate, so does a thing in place of another (the search service, the mail "
        "service). A statement that is a whole sentence of another, or its beginning, is near to it. A warning from "
        "0.74 on, for information from 0.66 on.",
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
        "A statement stands in three or more places of one window.",
        "All places are one finding, so that one of them can be chosen to stay.",
        "SOUL.md:      - Be concise.\nAGENTS.md:    - Be concise.\nprompt.txt:   - Be concise.",
        "SOUL.md:      - Be concise.",
        "The design document this linter comes from lists triples by hand; no peer groups them.",
    ),
    Rule(
        "DUP005",
        "copied-section",
        WARNING,
        "unsafe",
        "Three or more statements in a row, a section or a whole file stand in another file too.",
        "An import (@AGENTS.md) or a symbolic link says the same once. Where no agent loads both files the finding is "
        "for information: nothing is wasted, but both have to be kept alike by hand.",
        "CLAUDE.md holds the same text as AGENTS.md.",
        "CLAUDE.md:\n@AGENTS.md",
        "Symbolic links counted as copies are a known complaint of other tools (OpenHands/software-agent-sdk 2600).",
    ),
    Rule(
        "DUP006",
        "drifted-copy",
        WARNING,
        "none",
        "A copied stretch has changed in one of its places: another number, name or path.",
        "Copies that diverge are worse than copies: the agent is told two things.",
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
        "A statement points to another file and repeats what stands there.",
        "The file is in the window already; the pointer alone says enough, or the repetition does.",
        "AGENTS.md:   - Narrate before each tool call, in one short sentence (see SOUL.md).",
        "AGENTS.md:   - Narration: see SOUL.md.",
        "The origin of this linter lists such rows as cross-references.",
    ),
    Rule(
        "DUP008",
        "restates-project-file",
        INFO,
        "none",
        "A statement repeats the README or the description in package.json.",
        "An agent can read those files when it needs them; in its instructions they cost tokens on every turn.",
        "README.md:   Fast HTTP client with retries and caching.\n"
        "AGENTS.md:   Fast HTTP client with retries and caching.",
        "AGENTS.md:   See README.md for what this is.",
        "Two peers check the README against CLAUDE.md (agnix CC-MEM-010, aispekt readme-redundancy).",
    ),
)
