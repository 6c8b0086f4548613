"""The table of contents: every verb and the one line that --help shows of it.

Help and completion read this table alone, so neither imports a command.
"""

VERBS = {
    "count": "Count tokens, as wc counts words.",
    "gate": "Pass content that fits the window; map what does not.",
    "run": "Run a command and gate its output, keeping its status.",
    "brief": "Print the map of a content, whatever its size.",
    "cache": "Store content, and read any part of it back.",
    "session": "Keep account of what a conversation has used.",
    "models": "List the models known by name, or show one.",
    "doctor": "Check this machine, the store and every setting.",
}
CACHE = {
    "put": "Store content and print its ref.",
    "get": "Write stored content, or a part of it.",
    "list": "List what is stored, the newest first.",
    "search": "Find words in everything that is stored, the best passage first.",
    "path": "Print the path of the plain file behind a ref.",
    "rm": "Remove stored content.",
    "gc": "Remove what is old or too much.",
    "stat": "Say how much is stored, and where.",
    "verify": "Check that stored content is what its ref says.",
}
SESSION = {
    "new": "Begin a session and print its id.",
    "status": "Say what a session has used and what is left.",
    "reset": "Say how many tokens are in context.",
    "list": "List sessions, the newest first.",
    "rm": "Remove sessions, and the stored content that is theirs alone.",
}
MODELS = {
    "list": "List the models known by name.",
    "show": "Say what is known of a model, and where each number comes from.",
}
GROUPS = {"": VERBS, "cache": CACHE, "session": SESSION, "models": MODELS}
"""The tables by the verb they belong to; the empty name is ctxkit itself."""
