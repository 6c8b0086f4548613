"""The table of contents: every verb and the one line that --help shows of it.

Help and completion read this table alone, so neither imports a command.
"""

VERBS = {
    "gate": "Pass content that fits the window; map what does not.",
    "run": "Run a command and gate its output, keeping its status.",
    "brief": "Print the map of a content, whatever its size.",
    "cache": "Store content, and read any part of it back.",
}
CACHE = {
    "put": "Store content and print its ref.",
    "get": "Write stored content, or a part of it.",
    "list": "List what is stored, the newest first.",
    "search": "Find words in everything that is stored.",
    "path": "Print the path of the plain file behind a ref.",
    "rm": "Remove stored content.",
    "gc": "Remove what is old or too much.",
    "stat": "Say how much is stored, and where.",
    "verify": "Check that stored content is what its ref says.",
}
GROUPS = {"": VERBS, "cache": CACHE}
"""The tables by the verb they belong to; the empty name is ctxkit itself."""
