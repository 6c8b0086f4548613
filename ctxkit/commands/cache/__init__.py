"""ctxkit cache and its small verbs; get and search are in files of their names."""

from collections.abc import Iterable

import click

from ctxkit.app.services import stores
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.store.label import Label, mask_title, shorten_ref, title_of
from ctxkit.core.store.store_interface import Blob, Store
from ctxkit.edge import options, out, settings, source
from ctxkit.edge.command_group import CommandGroup, Verb
from ctxkit.edge.option_types import DURATION, SIZE, option
from ctxkit.edge.request import CliRequest
from ctxkit.edge.stored_content import find_ref
from ctxkit.registry import CACHE

command = CommandGroup(
    CACHE,
    "ctxkit.commands.cache",
    name="cache",
    help="""Store content; read, search, list and remove it.

\b
$ seq 300 | ctxkit cache put
$ ctxkit cache list
""",
)


@command.command("put", cls=Verb)
@options.file_argument
@option("--name", default="", metavar="NAME", help="Name of the content in lists.")
@option("--tool", default="", metavar="NAME", help="Tool that returned the content.")
@option("--call", default="", metavar="ID", help="Id of the tool call that returned the content.")
@options.redact_option
@options.json_option
@options.store_option
@options.collect_values(Label, "label")
def put_content(file: str, label: Label, redact: bool, as_json: bool) -> Exit:
    """Store content and print its ref.

    \b
    $ seq 300 | ctxkit cache put --tool seq
    """
    from ctxkit.app.services import engines
    from ctxkit.core.store.store_interface import store_content

    config = settings.load()
    store = stores.open_store(config)
    redaction = CliRequest(redact=redact).redaction(config)
    name = label.name or ("" if file == "-" else file)
    label = Label(*map(mask_title, label._replace(name=name)))
    ref = store_content(store, redaction.apply(source.chunks(file)), label)
    redaction.note()
    if as_json:
        size = store.open(ref).lines.size
        out.write_json({"ref": shorten_ref(ref), "sha256": ref, "bytes": size, **redaction.facts()})
    else:
        out.write((f"{shorten_ref(ref)}\n".encode(),))
    engines.tidy_store(config, ref)
    return Exit.DONE


@command.command("list", cls=Verb)
@options.json_lines_option
@options.store_option
def list_content(as_json: bool) -> Exit:
    """List stored content, newest first.

    Each line gives ref, size, time, tool and name. It also gives the directory if that is
    not the usual one. --json prints one object per line.

    \b
    $ ctxkit cache list
    """
    store = stores.open_store(settings.load())
    for blob in sorted(store.blobs(), key=lambda blob: (-blob.created, blob.ref)):
        if as_json:
            out.write_json(_make_object(blob))
        else:
            out.write_listing(_format_row(blob, store.place) + "\n")
    return Exit.DONE


def _format_row(blob: Blob, usual: str) -> str:
    from datetime import datetime

    from ctxkit.core.text.escapes import escape_name
    from ctxkit.core.text.quantity import format_size

    stamp = datetime.fromtimestamp(blob.created).strftime("%Y-%m-%d %H:%M:%S")
    label_text = "  ".join(title_of(word) for word in (blob.label.tool, blob.label.call, blob.label.name) if word)
    where = "" if blob.place == usual else f"  (in {escape_name(blob.place)})"
    return f"{shorten_ref(blob.ref)}  {format_size(blob.size):>10}  {stamp}  {label_text}".rstrip() + where


def _make_object(blob: Blob) -> dict[str, object]:
    label_facts = {"name": blob.label.name, "tool": blob.label.tool, "call": blob.label.call}
    known = {key: value for key, value in label_facts.items() if value}
    times = {"created": round(blob.created, 3), "read": round(blob.read, 3)}
    return {
        "ref": shorten_ref(blob.ref),
        "sha256": blob.ref,
        "bytes": blob.size,
        "directory": blob.place,
        **times,
        **known,
    }


@command.command("path", cls=Verb)
@click.argument("ref", metavar="REF")
@options.store_option
def show_path(ref: str) -> Exit:
    """Print the path of the file that holds the content of a ref.

    \b
    $ sed -n 46,200p "$(ctxkit cache path 3f9a2c81d0b47e65)"
    """
    store = stores.open_store(settings.load())
    out.write_text(store.path(find_ref(store, ref)) + "\n")
    return Exit.DONE


@command.command("rm", cls=Verb)
@click.argument("refs", metavar="REF...", nargs=-1)
@option("--all", "everything", is_flag=True, help="Remove all content.")
@option("-y", "--yes", "confirmed", is_flag=True, help="Do not ask before --all removes content.")
@option("--dry-run", is_flag=True, help="Print what would be removed, and remove nothing.")
@options.store_option
def remove_content(refs: tuple[str, ...], everything: bool, confirmed: bool, dry_run: bool) -> Exit:
    """Remove stored content.

    If one REF does not exist, rm removes nothing. --all empties one store: the server that
    --store or the settings name, else the directories of this home on this machine, with the
    search index and the record of warnings. It asks on a terminal, and needs --yes elsewhere.
    It also removes content that an active session or a manifest refers to, which ctxkit cache
    gc keeps.

    \b
    $ ctxkit cache rm 3f9a2c81d0b47e65
    $ ctxkit cache rm --all --dry-run
    """
    if bool(refs) == everything:
        raise UsageError("name the refs to remove, or --all")
    config = settings.load()
    if everything:
        return _remove_all(stores.open_emptied_store(config), confirmed=confirmed, dry_run=dry_run)
    store = stores.open_store(config)
    for ref in [find_ref(store, ref) for ref in refs]:
        if dry_run:
            out.write_listing(f"would remove {shorten_ref(ref)}\n")
        else:
            store.remove(ref)
    return Exit.DONE


def _remove_all(store: Store, *, confirmed: bool, dry_run: bool) -> Exit:
    """Remove all content; say so if some of it was not where content is usually kept."""
    from ctxkit.core.text.escapes import escape_line
    from ctxkit.edge import say
    from ctxkit.edge.notices import ask, is_terminal

    if dry_run:
        lines = (f"would remove {escape_line(line)}\n" for line in _sum_places(store.blobs()))
        out.write_listing("".join(lines) or "nothing is stored\n")
        return Exit.DONE
    if not confirmed:
        if not is_terminal():
            hint = "--dry-run prints what it would remove"
            raise UsageError("--all needs --yes if stdin is not a terminal", hint=hint)
        sizes = _sum_places(store.blobs())
        if sizes and not ask(f"Remove {' and '.join(sizes)}?"):
            return Exit.NO
    for line in _sum_places(store.remove_all()):
        (say.note if line.endswith(f" from {store.place}") else say.inform)(f"removed {line}")
    return Exit.DONE


def _sum_places(blobs: Iterable[Blob]) -> list[str]:
    """Return for each place how much of it blobs are."""
    from collections import defaultdict

    from ctxkit.core.text.quantity import format_size, pluralize

    sizes: defaultdict[str, list[int]] = defaultdict(list)
    for blob in blobs:
        sizes[blob.place].append(blob.size)
    return [f"{pluralize(len(part), 'blob')}, {format_size(sum(part))}, from {place}" for place, part in sizes.items()]


@command.command("gc", cls=Verb)
@option("--max-age", type=DURATION, metavar="DURATION", help="Remove content not read for DURATION, as in 24h or 7d.")
@option(
    "--max-size", type=SIZE, metavar="SIZE", help="Then remove the least recently read content above SIZE, as in 1GB."
)
@options.json_option
@options.store_option
def collect_garbage(max_age: float | None, max_size: int | None, as_json: bool) -> Exit:
    """Remove old content, and content above the size limit.

    Without options, the settings apply (cache_max_age 7d, cache_max_size 2GB). ctxkit
    collects by itself after it stores content, at most once an hour. Content that was
    stored or read in the last ten minutes stays unless the disk is full. gc collects on this
    machine only: content on a shared store expires there.

    \b
    $ ctxkit cache gc --max-age 24h --max-size 1GB
    """
    from ctxkit.core.text.quantity import format_size, parse_duration, parse_size, pluralize

    config = settings.load()
    age = parse_duration(config["cache_max_age"]) if max_age is None else max_age
    size = parse_size(config["cache_max_size"]) if max_size is None else max_size
    swept = stores.open_store(config).collect(age, size)
    if as_json:
        out.write_json({"removed": swept.blobs, "bytes": swept.size, "young": swept.young})
    else:
        left = f"; left {swept.young:,} stored or read in the last ten minutes" if swept.young else ""
        out.write_listing(f"removed {pluralize(swept.blobs, 'blob')}, {format_size(swept.size)}{left}\n")
    return Exit.DONE


@command.command("stat", cls=Verb)
@options.json_option
@options.store_option
def show_statistics(as_json: bool) -> Exit:
    """Show how much is stored, and where.

    \b
    $ ctxkit cache stat
    """
    from ctxkit.core.text.quantity import format_size, pluralize

    config = settings.load()
    store = stores.open_store(config)
    sizes: dict[str, list[int]] = {store.place: []}
    for blob in store.blobs():
        sizes.setdefault(blob.place, []).append(blob.size)
    limits = {"max_age": config["cache_max_age"], "max_size": config["cache_max_size"]}
    if as_json:
        directories = [
            {"directory": place, "blobs": len(blob_sizes), "bytes": sum(blob_sizes)}
            for place, blob_sizes in sizes.items()
        ]
        every = [size for blob_sizes in sizes.values() for size in blob_sizes]
        total = {"blobs": len(every), "bytes": sum(every), "directory": store.place}
        out.write_json({**total, **limits, "stores": directories})
        return Exit.DONE
    for place, blob_sizes in sizes.items():
        out.write_listing(f"{pluralize(len(blob_sizes), 'blob')}, {format_size(sum(blob_sizes))}, in {place}\n")
    out.write_listing(f"kept for {limits['max_age']} after the last read, {limits['max_size']} at most\n")
    return Exit.DONE


@command.command("verify", cls=Verb)
@options.json_lines_option
@options.store_option
def verify_content(as_json: bool) -> Exit:
    """Check that stored content matches its ref.

    verify prints a line for each blob that does not match. The exit status is 1 if there
    is one.

    \b
    $ ctxkit cache verify
    """
    bad = False
    for ref, problem in stores.open_store(settings.load()).verify():
        bad = True
        if as_json:
            out.write_json({"ref": shorten_ref(ref), "sha256": ref, "problem": problem})
        else:
            out.write_listing(f"{shorten_ref(ref)}  {problem}\n")
    return Exit.NO if bad else Exit.DONE
