"""Find commands that read or run files that are gone (REF001)."""

from collections.abc import Collection, Iterator
from posixpath import dirname, join, normpath

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.markdown import MarkdownDocument
from ctxkit.core.lint.references.commands import find_command_mentions, find_modules
from ctxkit.core.lint.references.excuses import is_build_path, says_gone, says_optional
from ctxkit.core.lint.references.introductions import find_introduction, introduces_gone, introduces_samples
from ctxkit.core.lint.references.past_sections import PastSections
from ctxkit.core.lint.references.paths import PathIndex, PathMention
from ctxkit.core.lint.rules.stale_paths import COMMON_NAMES, STATED_ROLES, add_place, make_stale_finding


def find_gone_commands(
    document: MarkdownDocument, path_index: PathIndex, sections: PastSections, known: Collection[str]
) -> Iterator[LintFinding]:
    """Yield the first command that names each file that is gone; ``known`` paths have a finding already."""
    if document.role not in STATED_ROLES:
        return
    pairs = [(mention, _list_places(document, mention)) for mention in find_command_mentions(document)]
    pairs += [(mention, _list_modules(mention)) for mention in find_modules(document)]
    by_path: dict[str, LintFinding] = {}
    for mention, places in pairs:
        if mention.path not in known and not _is_excused(document, mention, sections):
            finding = _check_places(document, mention, places, path_index)
            if finding is not None:
                first = by_path.get(finding.essence)
                by_path[finding.essence] = finding if first is None else add_place(first, finding)
    yield from by_path.values()


def _list_places(document: MarkdownDocument, mention: PathMention) -> list[str]:
    """Return the paths that a command may mean: from the root, and from the directory of its document."""
    return list(dict.fromkeys(normpath(join(home, mention.path)) for home in ("", dirname(document.path))))


def _list_modules(mention: PathMention) -> list[str]:
    """Return the files that may have a Python module."""
    path = mention.path.replace(".", "/")
    return [f"{home}{path}{ending}" for home in ("", "src/") for ending in (".py", "/__main__.py")]


def _is_excused(document: MarkdownDocument, mention: PathMention, sections: PastSections) -> bool:
    introduction = find_introduction(document, mention.line)
    return (
        sections.is_past(mention.line)
        or says_gone(mention.prose)
        or says_optional(mention.clause)
        or introduces_gone(introduction)
        or introduces_samples(introduction)
    )


def _check_places(
    document: MarkdownDocument, mention: PathMention, places: list[str], path_index: PathIndex
) -> LintFinding | None:
    """Return the finding if a file was at one of some places, and none of its name is at any of them now."""
    if any(path_index.exists(place, "") for place in places) or mention.path.lower() in COMMON_NAMES:
        return None
    if any(is_build_path(place) or path_index.is_ignored(place) for place in places):
        return None
    removals = ((place, path_index.find_removal(place)) for place in places)
    gone = next(((place, past) for place, past in removals if past), None)
    return make_stale_finding(document, mention, *gone) if gone else None
