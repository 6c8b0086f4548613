"""ctxkit tools builtin."""

import click

from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.tools.builtin import BUILTIN_NAMES, SHAPES, DefinitionShape, list_builtin
from ctxkit.edge import out, tool_files
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import renamed_option


@click.command("builtin", cls=Verb)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@renamed_option(
    "--to",
    "shape",
    type=click.Choice(SHAPES),
    default="openai",
    show_default=True,
    renamed_from=("--format",),
    help="API of the request.",
)
def command(names: tuple[str, ...], shape: DefinitionShape) -> Exit:
    """Print the definitions of the tools that ctxkit offers to a model.

    The output is a JSON array for the tools of a request. NAME selects some of them.

    \b
    $ ctxkit tools builtin read_result tool_search --to anthropic
    """
    for name in names:
        if name not in BUILTIN_NAMES:
            raise UsageError(f"unknown tool: {name}", hint=f"one of {', '.join(sorted(BUILTIN_NAMES))}")
    out.write_text(tool_files.dump_definitions(list_builtin(shape, names)))
    return Exit.DONE
