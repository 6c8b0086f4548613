"""ctxkit session: the verbs are in files of their names."""

from ctxkit.edge.command_group import CommandGroup
from ctxkit.registry import SESSION

command = CommandGroup(
    "ctxkit.commands.session",
    SESSION,
    name="session",
    help="""Track how many tokens a conversation has used, and keep its history.

A session is the window of one conversation. With --session or CTXKIT_SESSION, gate,
run, brief and cache get --gate charge the content that they pass to the session.

\b
$ ctxkit session new --model qwen3-30b
$ ctxkit session list
""",
)
