"""ctxkit snapshot: the verbs are in files of their names."""

from ctxkit.edge.command_group import CommandGroup
from ctxkit.registry import SNAPSHOT

command = CommandGroup(
    "ctxkit.commands.snapshot",
    SNAPSHOT,
    name="snapshot",
    help="""Save and restore a session's compacted conversation.

Compaction does not shorten the history of a session, which may exceed the window.
The snapshot is the conversation after compaction, and the session resumes from it.

\b
$ ctxkit snapshot save SESSION chat.jsonl
$ ctxkit snapshot load SESSION
$ ctxkit snapshot list
""",
)
