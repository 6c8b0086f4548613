"""ctxkit snapshot promote."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ctxkit.app.services import compaction, engines, sessions, workers
from ctxkit.core.errors import CtxkitError, Exit, MissingInputError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.quantity import pluralize
from ctxkit.edge import options, out, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctxkit.core.lint.promotion import Promotion

    Wording = Callable[[Sequence[Promotion]], list[Promotion]]


class ProposalForm(NamedTuple):
    """The sessions that must state a fact, and whether lines are appended, or what was found printed as an object."""

    min_sessions: int
    write: bool
    as_json: bool


@click.command("promote", cls=Verb)
@click.argument("directory", default=".", metavar="[DIR]")
@option("--write", is_flag=True, help="Append the lines to MEMORY.md instead of printing a patch.")
@option(
    "--min-sessions",
    type=options.positive_count,
    default=2,
    metavar="N",
    help="Number of sessions that must state a fact.  [default: 2]",
)
@option("--summarizer", metavar="S", help="Word the lines with llama[:FILE], http(s)://... or cmd:PROGRAM.")
@options.json_option
@options.store_option
@options.collect_values(ProposalForm, "form")
def command(directory: str, summarizer: str | None, form: ProposalForm) -> Exit:
    """Propose repeated facts of snapshots for MEMORY.md.

    promote reads the snapshots of the sessions that were started in DIR or below it. It proposes
    the decisions and facts that several of their summaries state, unless a file that agents load
    already states them. It prints a patch, and writes nothing without --write. With --summarizer, a
    model phrases the lines; a phrasing that changes the meaning is not used.

    \b
    $ ctxkit snapshot promote
    $ ctxkit snapshot promote --write
    """
    root = os.path.realpath(directory)
    if not os.path.isdir(root):
        raise MissingInputError(f"{directory}: no such directory")
    config = settings.load()
    word = _make_wording(summarizer, config)
    return workers.run_in_worker(lambda: _promote(root, config, word, form), 0)


def _make_wording(summarizer: str | None, config: Settings) -> Wording:
    """Return the function that words promotions; it returns them as they are without a model, or if it fails."""
    if summarizer is None:
        return list
    from ctxkit.core.lint.promotion_wording import GRAMMAR, word_promotions

    connect = compaction.connect_chat_model(summarizer, config, GRAMMAR, typed=True)

    def word(promotions: Sequence[Promotion]) -> list[Promotion]:
        """Return the promotions in the words of the model."""
        try:
            return word_promotions(promotions, connect().ask) if connect and promotions else list(promotions)
        except CtxkitError as error:
            say.warn(f"the lines stay as they are, because the summarizer failed: {error}")
            return list(promotions)

    return word


def _promote(root: str, config: Settings, word: Wording, form: ProposalForm) -> Exit:
    from ctxkit.core.lint.loading.assemble import WorkspaceOptions
    from ctxkit.core.lint.promotion import find_promotions
    from ctxkit.edge.promotion import change_memory, write_memory

    pages = _read_pages(root, config)
    workspace = engines.gather_workspace(root, len, WorkspaceOptions(), ())
    promotions = word(find_promotions(pages, workspace, form.min_sessions))
    change = change_memory(workspace, promotions)
    if promotions and form.write:
        write_memory(root, change)
    if form.as_json:
        proposals = [{**row._asdict(), "original": row.original or None} for row in promotions]
        facts = {"directory": root, "summaries": len(pages), "file": change.path, "proposals": proposals}
        out.write_json({**facts, "written": bool(promotions and form.write)})
    elif promotions and not form.write:
        out.write(line.encode("utf-8", "surrogateescape") for line in change.diff())
    elif promotions:
        say.inform(f"{pluralize(len(promotions), 'line')} appended to {change.path}")
    else:
        say.inform(f"Nothing to propose: {pluralize(len(pages), 'session')} with a summary.")
    return Exit.DONE


def _read_pages(root: str, config: Settings) -> dict[str, Any]:
    """Return the summaries of the sessions of a directory, the newest first."""
    from ctxkit.edge.promotion import read_summary

    names = sessions.session_directories(config).sessions_in(root)
    snapshots = sessions.snapshots(config)
    newest = (snapshot.session for snapshot in reversed(snapshots.all()) if snapshot.session in names)
    contents = ((name, snapshots.find(name)) for name in newest)
    pages = ((name, read_summary(snapshot)) for name, snapshot in contents if snapshot)
    return {name: page for name, page in pages if page}
