"""ctxkit models: the verbs are in files of their names."""

from ctxkit.edge.command_group import CommandGroup
from ctxkit.registry import MODELS

command = CommandGroup(
    "ctxkit.commands.models",
    MODELS,
    name="models",
    help="""List known models, show one with the source of each number, or change your own.

\b
$ ctxkit models list qwen3
$ ctxkit models show qwen3-30b
""",
)
