"""ctxkit edit: the verbs are in files of their names."""

from ctxkit.edge.command_group import CommandGroup
from ctxkit.registry import EDIT

command = CommandGroup(
    "ctxkit.commands.edit",
    EDIT,
    name="edit",
    help="""Take messages out of a conversation, or bring them back.

Messages are numbered from 1, in the order in which a model reads them. What an
edit takes out is stored first, and restore brings it back byte for byte.

\b
$ ctxkit edit list chat.jsonl
$ ctxkit edit remove 3:4 chat.jsonl > shorter.jsonl
""",
)
