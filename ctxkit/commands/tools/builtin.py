"""ctxkit tools builtin."""

import click

from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.tools.builtin import BUILTIN_NAMES, SHAPES, DefinitionShape, list_builtin
from ctxkit.edge import out, tool_files
from ctxkit.edge.command_group import Verb
from ctxkit.edge.format_option import make_format_option


@click.command("builtin", cls=Verb)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@make_format_option(f"Provider of the request: {', '.join(SHAPES)}.  [default: openai]", SHAPES, "openai")
def command(names: tuple[str, ...], format_name: DefinitionShape) -> Exit:
    """Print the definitions of the tools that ctxkit offers to a model.

    The output is a JSON array for the tools of a request. NAME selects some of them.

    \b
    $ ctxkit tools builtin read_result tool_search --format anthropic
    """
    for name in names:
        if name not in BUILTIN_NAMES:
            raise UsageError(f"unknown tool: {name}", hint=f"one of {', '.join(sorted(BUILTIN_NAMES))}")
    out.write_text(tool_files.dump_definitions(list_builtin(format_name, names)))
    return Exit.DONE
