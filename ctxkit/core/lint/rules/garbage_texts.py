"""Define the rules HYG002 to HYG004 for ``explain`` and the documentation."""

from ctxkit.core.lint.document.rule import WARNING, Rule

RULES = (
    Rule(
        "HYG002",
        "self-referential-summary",
        WARNING,
        "unsafe",
        "A memory describes the conversation or its own writing instead of stating a fact, or keeps a marker such as "
        "[VERBATIM].",
        "A sentence such as 'I should prompt them' comes from a model that was summarizing. It is not a fact, but "
        "the next turn may obey it.",
        "The conversation history highlights the need to read files. I should prompt them to specify locations.",
        "- Read files directly, without subagents.",
        "The workspace that motivated this linter. Of 10 public hits for 'I should prompt them', 6 were leaked "
        "reasoning, so the sentence must begin with 'I should'.",
    ),
    Rule(
        "HYG003",
        "session-in-memory",
        WARNING,
        "unsafe",
        "A long-term memory or CONTEXT.md contains chat turns or the log of a session, or files of single sessions "
        "(SESSION_*.md) accumulate beside it.",
        "Long-term memory is for facts that remain true. A transcript grows with each session, and the history of "
        "the session keeps it verbatim. Notes of one day belong in memory/DATE.md.",
        "MEMORY.md:\n## Compaction Summary (2026-02-16T11:39:46Z)\nuser: please fix the build\nassistant: Done.",
        "MEMORY.md:\n- The build needs Node 22.",
        "The workspace that motivated this linter (MEMORY.md, lines 22-130). Of the repositories read, 4 have role "
        "labels and 8 have dated headings.",
    ),
    Rule(
        "HYG004",
        "truncation-marker",
        WARNING,
        "none",
        "A marker shows that text was truncated and the rest is lost.",
        "An agent or a tool wrote back a truncated text. The agent now reads half a rule and cannot know the other "
        "half.",
        "- Deploy with `make deploy` after\n[TRUNCATED at 8000 chars]",
        "- Deploy with `make deploy` after the tests pass.",
        "Markers as tools print them: [truncated at 8 chars], ... [truncated at 25KB], [TRUNCATED AT 30 MB].",
    ),
)
