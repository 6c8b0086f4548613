"""ctxkit models rm."""

import click

from ctxkit.core.errors import Exit, UnknownNameError
from ctxkit.core.text.quantity import pluralize
from ctxkit.edge import options, out, say, user_dirs
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.user_models import UserModels, write_models


@click.command("rm", cls=Verb)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@option("--dry-run", is_flag=True, help="Print what would be removed, and write nothing.")
@options.json_option
def command(names: tuple[str, ...], dry_run: bool, as_json: bool) -> Exit:
    """Remove models from your own table.

    NAME is a model that models update added, in any spelling. The models that ctxkit knows, and
    those of settings files, stay. If your table has no model with one of the names, nothing is
    removed, and the exit status is 1.

    \b
    $ ctxkit models rm house-7b
    """
    table = UserModels(user_dirs.models_file())
    models = {model.name: model for model in table.models()}
    removed = sorted({_find_name(name, table) for name in names})
    if not dry_run:
        write_models(table.path, {name: model for name, model in models.items() if name not in removed})
    if as_json:
        out.write_json({"table": table.path, "dry_run": dry_run, "removed": removed})
    else:
        verb = "would be removed" if dry_run else "removed"
        say.inform(f"{pluralize(len(removed), 'model')} {verb}: {', '.join(removed)}")
    return Exit.DONE


def _find_name(name: str, table: UserModels) -> str:
    """Return the name in the table; raise UnknownNameError if it has none."""
    known = table.find_name(name)
    if not known:
        raise UnknownNameError(f"your table has no model {name}", hint="ctxkit models update adds models to it")
    return known
