"""ctxkit snapshot: the verbs are in files of their names."""

from ctxkit.edge.command_group import CommandGroup
from ctxkit.registry import SNAPSHOT

command = CommandGroup(
    "ctxkit.commands.snapshot",
    SNAPSHOT,
    name="snapshot",
    help="""Keep what a session's conversation is after a compaction.

The history of a session stays whole, and would fill the window again. Its
snapshot is the conversation as it was made to fit, which a session resumes from.

\b
$ ctxkit session new s --window 8192 && ctxkit snapshot save s chat.jsonl
$ ctxkit snapshot list
""",
)
