"""Write the page of hosts from the tables of the linter: ``python -m tools.host_page docs`` writes hosts.md."""

from collections.abc import Iterator, Mapping

from ctxkit.core.lint.loading.hosts import HOSTS, HostFiles, HostLoading, Source
from ctxkit.core.lint.loading.load_sets import CODEX_SETTINGS, GEMINI_SETTINGS, OPENCODE_SETTINGS
from ctxkit.core.lint.rules.front_matter import SCHEMAS
from ctxkit.core.lint.rules.size_limits import ALWAYS_TOKENS, DEFAULT_ALWAYS_TOKENS
from tools.pages.publish import publisher

EXTRAS = {
    "": "",
    "gemini_names": f"the names in context.fileName of {GEMINI_SETTINGS}, else GEMINI.md",
    "codex_names": f"the names in project_doc_fallback_filenames of {CODEX_SETTINGS}",
    "opencode_files": f"the files in instructions of {OPENCODE_SETTINGS[0]}",
}
"""Files that the settings of a project name, by the field of HostFiles."""
HEAD = """\
# What hosts load

`ctxkit dedupe` knows which files a host loads together from the table on this page. Each row has its source, and the
day on which it was read; where a page was read in a public copy, the copy may be older. Hosts change: a row is as old
as its day. `load_sets` in the settings adds hosts of your own.

## Files

"Always" files are in the window on every turn. Other files enter it on demand. The names and descriptions of files that
are marked as listed are in the window on every turn.

"""
FILES_HEAD = "| host | files | looked for in | always loaded | source, read |\n|---|---|---|---|---|\n"
LIMITS_HEAD = "| setting | host | limit | files | what the host does | source, read |\n|---|---|---|---|---|---|\n"
FIELDS_HEAD = "| host | kind | files | required | known fields | source, read |\n|---|---|---|---|---|---|\n"


def make_pages() -> Mapping[str, str]:
    """Return the page by its file name."""
    return {"hosts.md": "".join(_list_parts())}


def _list_parts() -> Iterator[str]:
    yield HEAD + FILES_HEAD
    for host in HOSTS:
        yield from (_format_files(host, files) for files in host.files)
    yield "\n## Use of a host\n\nA host without signs may be used in any project.\n\n"
    yield "| host | signs | hops of imports |\n|---|---|---|\n"
    for host in HOSTS:
        hops = f"{host.hops} ({_format_source(host.hops_source)})" if host.hops_source else "none"
        yield f"| {host.name} | {_format_names(host.signs) or 'none'} | {hops} |\n"
    yield "\n## Sizes\n\nThe table `sizes` of the settings changes a limit, and 0 turns it off. The limit of "
    yield f"`{ALWAYS_TOKENS}`, {DEFAULT_ALWAYS_TOKENS:,} tokens that a host always loads, is a choice of ctxkit: "
    yield "a tenth of a window of 200,000 tokens.\n\n" + LIMITS_HEAD
    for host in HOSTS:
        for limit in host.limits:
            files = _format_names(limit.paths) or "the files of a load set together"
            row = (f"`{limit.setting}`", host.name, f"{limit.amount:,} {limit.unit}", files, limit.effect)
            yield f"| {' | '.join(row)} | {_format_source(limit.source)} |\n"
    yield "\n## Front matter\n\n" + FIELDS_HEAD
    for schema in SCHEMAS:
        required = ", ".join(field for field, _ in schema.required) or "none"
        row = (schema.host, schema.kind, _format_names(schema.paths), required, ", ".join(schema.fields))
        yield f"| {' | '.join(row)} | {_format_source(schema.source)} |\n"


def _format_files(host: HostLoading, files: HostFiles) -> str:
    names = ", ".join(filter(None, (_format_names(files.paths), EXTRAS[files.extra])))
    first = "the first of " if files.take_first else ""
    unless = f", unless there is {_format_names(files.unless)}" if files.unless else ""
    listed = "; listed" if files.listed else ""
    row = (host.name, first + names, files.reach.value, _format_conditions(files) + unless + listed)
    return f"| {' | '.join(row)} | {_format_source(files.source)} |\n"


def _format_conditions(files: HostFiles) -> str:
    """Return when files are always loaded, in words."""
    if not files.always:
        return "on demand"
    alternatives = [
        " and ".join(
            f"{when.key} is {' or '.join(value or 'missing' for value in when.values)}" for when in conditions
        )
        for conditions in files.always
    ]
    return "if " + ", or ".join(alternatives) if all(alternatives) else "always"


def _format_names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _format_source(source: Source) -> str:
    return f"[{source.url.split('/')[2]}]({source.url}), {source.read}"


if __name__ == "__main__":
    publisher(make_pages, "hosts.md")()
