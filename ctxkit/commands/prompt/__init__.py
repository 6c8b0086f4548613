"""ctxkit prompt: the verbs are in files of their names."""

from ctxkit.edge.command_group import CommandGroup
from ctxkit.registry import PROMPT

command = CommandGroup(
    "ctxkit.commands.prompt",
    PROMPT,
    name="prompt",
    help="""Build a system prompt that stays in the provider's prompt cache.

\b
$ ctxkit prompt build --base README.md --window 32768
$ ctxkit prompt lint README.md
""",
)
