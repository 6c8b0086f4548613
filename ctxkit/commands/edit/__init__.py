"""ctxkit edit: the verbs are in files of their names."""

from ctxkit.edge.command_group import CommandGroup
from ctxkit.registry import EDIT

command = CommandGroup(
    "ctxkit.commands.edit",
    EDIT,
    name="edit",
    help="""Remove or summarize a range of messages, and bring it back.

Messages are numbered from 1, in the order in which a model reads them. An edit first
stores the messages that it removes. edit restore brings them back byte for byte.

\b
$ ctxkit edit list chat.jsonl
$ ctxkit edit remove 3:4 chat.jsonl > shorter.jsonl
""",
)
