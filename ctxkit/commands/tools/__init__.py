"""ctxkit tools: the verbs are in files of their names."""

from ctxkit.edge.command_group import CommandGroup
from ctxkit.registry import TOOLS

command = CommandGroup(
    "ctxkit.commands.tools",
    TOOLS,
    name="tools",
    help="""Select, search and provide tool definitions.

Definitions take up the window in every request. tools select defers those that take more
than a tenth of it, and tools search finds the deferred ones.

\b
$ ctxkit tools builtin --to openai | ctxkit tools search 'read a result' --json
""",
)
