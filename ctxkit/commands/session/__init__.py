"""ctxkit session: the verbs are in files of their names."""

from ctxkit.edge.command_group import CommandGroup
from ctxkit.registry import SESSION

command = CommandGroup(
    "ctxkit.commands.session",
    SESSION,
    name="session",
    help="""Keep account of what a conversation has used.

A session is the window of one conversation. What gate, run, brief and cache
get --gate let in under --session, or CTXKIT_SESSION, is booked on it.

\b
$ ctxkit session new --model qwen3-30b
$ ctxkit session list
""",
)
