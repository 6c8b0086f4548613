"""ctxkit cache: the verbs are in files of their names."""

from ctxkit.edge.command_group import CommandGroup
from ctxkit.registry import CACHE

command = CommandGroup(
    "ctxkit.commands.cache",
    CACHE,
    name="cache",
    help="""Store content; read, search, list and remove it.

\b
$ seq 300 | ctxkit cache put
$ ctxkit cache list
""",
)
