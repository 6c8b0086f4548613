"""The table of contents: every verb and the one line that --help shows of it.

Help and completion read this table alone, so neither imports a command.
"""

VERBS = {
    "count": "Count tokens, as wc counts words.",
    "gate": "Pass content that fits the window; map what does not.",
    "run": "Run a command and gate its output, keeping its status.",
    "brief": "Print the map of a content, whatever its size.",
    "cache": "Store content, and read any part of it back.",
    "compact": "Make a conversation smaller, in the format it has.",
    "session": "Keep account of what a conversation has used.",
    "snapshot": "Keep what a session's conversation is after a compaction.",
    "edit": "Take messages out of a conversation, or bring them back.",
    "usage": "Say what a request took and why its answer ended.",
    "dedupe": "Find what an agent's workspace says twice, wrongly or no more.",
    "models": "List the models known by name, or show one.",
    "trust": "Let the settings of a project hold that may run programs or write files.",
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
    "append": "Add messages to the history of a session.",
    "history": "Write the history of a session.",
    "status": "Say what a session has used and what is left.",
    "reset": "Say how many tokens are in context.",
    "list": "List sessions, the newest first.",
    "rm": "Remove sessions, with all that is theirs alone.",
}
SNAPSHOT = {
    "save": "Save a conversation as the snapshot of a session.",
    "load": "Write the snapshot of a session.",
    "resume": "Write what a session resumes from: its snapshot and what came after, else its history.",
    "list": "List snapshots, the newest first.",
    "rm": "Remove the snapshots of sessions.",
}
EDIT = {
    "list": "List the ranges of a conversation and what each costs.",
    "remove": "Remove a range of messages from a conversation.",
    "summarize": "Put a summary in place of a range of messages.",
    "restore": "Bring back what an edit took out.",
}
MODELS = {
    "list": "List the models known by name.",
    "show": "Say what is known of a model, and where each number comes from.",
}
GROUPS = {"": VERBS, "cache": CACHE, "session": SESSION, "snapshot": SNAPSHOT, "edit": EDIT, "models": MODELS}
"""The tables by the verb they belong to; the empty name is ctxkit itself."""
