"""Every command, and its one-line summary in --help.

Help and completion read this table alone, so neither imports a command.
"""

VERBS = {
    "count": "Count tokens of text and conversations, like wc.",
    "gate": "Pass content that fits, and map content that does not.",
    "run": "Run a command, gate its output, and keep its exit status.",
    "shell": "Run a shell, and gate the output of its script.",
    "brief": "Print the map of a file, of a directory or of stdin.",
    "truncate": "Pass the last or first lines of content, and say what was left out.",
    "cache": "Store content; read, search, list and remove it.",
    "compact": "Make a conversation smaller in its own format.",
    "session": "Track how many tokens a conversation has used, and keep its history.",
    "snapshot": "Save and restore a session's compacted conversation.",
    "edit": "Remove or summarize a range of messages, and bring it back.",
    "budget": "Show what fills a context window, by component.",
    "prompt": "Build a system prompt that stays in the provider's prompt cache.",
    "usage": "Show what a request used and why its answer ended.",
    "tools": "Select, search and provide tool definitions.",
    "call": "Answer a function call of a model.",
    "turn": "Prepare the next request of a session, or record its answer.",
    "dedupe": "Find duplicated, contradictory and stale instructions in an agent workspace.",
    "models": "List known models, show one with the source of each number, or change your own.",
    "trust": "Trust a project, so that its settings may run programs or write files.",
    "init": "Set up an agent host to run its commands through ctxkit.",
    "mcp": "Serve stored results to an agent host, as an MCP server.",
    "serve": "Answer commands over a Unix socket, with vocabularies in memory.",
    "proxy": "Keep the requests of an agent within the window of its model.",
    "hook": "Answer an event of an agent host (plumbing that init sets up).",
    "statusline": "Print a status line: how full the context window is, and how much was kept out.",
    "events": "Show what commands logged, and add up what they kept out of windows.",
    "doctor": "Check the machine, the store and every setting, or an agent host.",
    "completion": "Print the completion script of a shell.",
    "help": "Show the help of a command.",
}
SECTIONS = {
    "Everyday commands": "run gate brief count cache",
    "Conversations": "compact session snapshot edit budget usage",
    "One turn of an agent": "turn prompt tools call truncate",
    "Workspace": "dedupe trust",
    "Hosts": "init proxy shell mcp statusline hook",
    "Service and upkeep": "serve doctor events models completion help",
}
"""Commands of the root group by the title of their section in help."""
CACHE = {
    "put": "Store content and print its ref.",
    "get": "Write stored content, or a part of it.",
    "list": "List stored content, newest first.",
    "search": "Search stored content, and print the best passages first.",
    "path": "Print the path of the file that holds the content of a ref.",
    "rm": "Remove stored content.",
    "gc": "Remove old content, and content above the size limit.",
    "stat": "Show how much is stored, and where.",
    "verify": "Check that stored content matches its ref.",
}
SESSION = {
    "new": "Start a session and print its id.",
    "append": "Add messages to the history of a session.",
    "history": "Write the history of a session.",
    "status": "Show how many tokens a session has used and has left.",
    "reset": "Set the number of tokens in context.",
    "list": "List sessions, newest first.",
    "rm": "Remove sessions, and the data that only they use.",
}
SNAPSHOT = {
    "save": "Save a conversation as the snapshot of a session.",
    "load": "Write a snapshot of a session.",
    "resume": "Write the conversation that a session resumes from.",
    "list": "List snapshots, newest first.",
    "diff": "Compare two snapshots or files.",
    "promote": "Propose repeated facts of snapshots for MEMORY.md.",
    "rm": "Remove the snapshots of sessions.",
}
EDIT = {
    "list": "List the ranges of a conversation and their tokens.",
    "remove": "Remove a range of messages from a conversation.",
    "summarize": "Replace a range of messages with a summary.",
    "restore": "Restore the messages that an edit removed.",
}
MODELS = {
    "list": "List known models.",
    "show": "Show a model's window, tokenizer and hosts, with the source of each number.",
    "update": "Add the windows and prices of models to your own table.",
    "rm": "Remove models from your own table.",
}
TOOLS = {
    "select": "Defer the tool definitions that take too much of the window.",
    "search": "Find tools by what they do, and print their definitions.",
    "builtin": "Print the definitions of the tools that ctxkit offers to a model.",
}
PROMPT = {
    "build": "Build a system prompt from sections, with its cache breakpoints.",
    "diff": "Show where a new prompt leaves the cached prefix, and what that costs.",
    "lint": "Find text that breaks the cache: dates, UUIDs and counters in the cached part.",
}
MCP = {"wrap": "Gate the results of an MCP server: a program, or the server at a URL."}
GROUPS = {
    "": VERBS,
    "cache": CACHE,
    "session": SESSION,
    "snapshot": SNAPSHOT,
    "edit": EDIT,
    "prompt": PROMPT,
    "models": MODELS,
    "tools": TOOLS,
    "mcp": MCP,
}
"""The tables by the verb they belong to; the empty name is ctxkit itself."""
