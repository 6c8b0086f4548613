"""ctxkit cache search."""

from collections.abc import Iterator

import click

from ctxkit.app.services import stores
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store import search
from ctxkit.core.store.label import Label, shorten_ref, title_of
from ctxkit.core.store.search import Hit
from ctxkit.core.store.store_interface import Blob
from ctxkit.core.text.escapes import escape_name
from ctxkit.core.text.quantity import format_size
from ctxkit.edge import options, out, progress, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option, renamed_option


class SearchFilter(NamedTuple):
    """The tool and the session whose content is searched, or that all of it is."""

    tool: str | None
    session: str | None
    is_everything: bool


@click.command("search", cls=Verb)
@click.argument("query", nargs=-1, required=True)
@renamed_option(
    "--max-results",
    type=options.positive_count,
    default=20,
    metavar="N",
    renamed_from=("--limit", "-n"),
    help="Print at most N results.  [default: 20]",
)
@option("--tool", metavar="NAME", help="Search only content of this tool.")
@option("--session", metavar="SESSION", help="Search only content of this session.")
@option("--all", "is_everything", is_flag=True, help="Search the content of all projects and sessions.")
@options.json_lines_option
@options.store_option
@options.collect_values(SearchFilter, "search_filter")
def command(query: tuple[str, ...], max_results: int, search_filter: SearchFilter, as_json: bool) -> Exit:
    """Search stored content, and print the best passages first.

    search covers the content of this project. In a session, it leaves out the content of
    other sessions. --all covers everything.

    A word also matches other forms with the same stem. "two words" matches words in a
    row, and word* matches words that begin with it. Below each ref, search prints
    the lines that contain most of the words, with their numbers. The exit status is 1 if
    nothing is found.

    \b
    $ ctxkit cache search no such file
    $ ctxkit cache search '"such file" err*' --json
    """
    query_text = " ".join(query)
    tool, session, is_everything = search_filter
    if not search.parse_terms(query_text):
        raise UsageError(
            f"no word to search for: {query_text}", hint="for punctuation use ctxkit cache get REF --grep RE"
        )
    config = settings.load()
    store, index = stores.open_store(config), stores.index(config)
    blobs = {blob.ref: blob for blob in store.blobs()}
    if not blobs:
        return Exit.NO
    for _ in progress.show_progress(search.index_missing(index, store, blobs), "indexing", int):
        pass
    scope = None if is_everything or session else search.SearchScope(stores.current_project(), config["session"], True)
    selected = _select(blobs, tool, session, scope)
    hits, some = search.find_hits(index, store, selected, query_text, max_results)
    if some:
        say.warn("no passage contains all of these words; these contain some of them")
    if as_json:
        for hit in hits:
            out.write_json(_make_object(hit, blobs[hit.ref].place))
    else:
        out.write_listing("\n".join(_format_listing(search.group_by_ref(hits), blobs, store.place)))
    return Exit.DONE if hits else Exit.NO


def _select(
    blobs: dict[str, Blob], tool: str | None, session: str | None, scope: search.SearchScope | None
) -> dict[str, Blob]:
    """Return the content of a tool, a session and a scope; None stands for all."""

    def is_selected(label: Label) -> bool:
        """Return whether content with a label is searched."""
        is_named = tool in (None, label.tool) and session in (None, label.session)
        return is_named and (scope is None or scope.includes(label))

    return {ref: blob for ref, blob in blobs.items() if is_selected(blob.label)}


def _format_listing(hits_by_ref: dict[str, list[Hit]], blobs: dict[str, Blob], usual: str) -> Iterator[str]:
    """Yield a heading a content, with its directory if that is not the usual one, and with its hits below it."""
    for ref, hits in hits_by_ref.items():
        label = blobs[ref].label
        label_text = "  ".join(title_of(word) for word in (label.tool, label.call, label.name) if word)
        rows = (f"  {hit.line}: {hit.text}\n" for hit in hits)
        where = "" if blobs[ref].place == usual else f"  (in {escape_name(blobs[ref].place)})"
        yield (
            f"{shorten_ref(ref)}  {format_size(blobs[ref].size)}  {label_text}".rstrip() + where + "\n" + "".join(rows)
        )


def _make_object(hit: Hit, place: str) -> dict[str, object]:
    facts = {"ref": shorten_ref(hit.ref), "line": hit.line, "text": hit.text}
    return {**facts, "lines": [hit.passage.first, hit.passage.last], "score": round(hit.score, 3), "directory": place}
