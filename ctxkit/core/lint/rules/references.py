"""Find paths in backticks that do not exist (REF001 and REF002)."""

import re
from collections.abc import Iterator
from posixpath import dirname

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import ERROR, INFO, Rule
from ctxkit.core.lint.document.workspace import RemovedPath, Workspace
from ctxkit.core.lint.references.excuses import is_build_path, rejects_path, says_gone, says_optional
from ctxkit.core.lint.references.introductions import (
    find_introduction,
    introduces_gone,
    introduces_new,
    introduces_samples,
    is_in_samples,
)
from ctxkit.core.lint.references.packaged import find_packaged
from ctxkit.core.lint.references.past_sections import PastSections
from ctxkit.core.lint.references.paths import (
    EXTENSION,
    PathIndex,
    PathMention,
    candidate_paths,
    find_mentions,
    is_archived,
)
from ctxkit.core.lint.rules.drawn_paths import find_drawn_paths
from ctxkit.core.lint.rules.gone_commands import find_gone_commands
from ctxkit.core.lint.rules.stale_paths import (
    COMMON_NAMES,
    STATED_ROLES,
    add_place,
    make_path_finding,
    make_stale_finding,
)

RULES = (
    Rule(
        "REF001",
        "stale-path",
        ERROR,
        "unsafe",
        "A path in backticks, in drawn directories or in a command no longer exists; the history of the repository "
        "shows when it was removed and its new location.",
        "An agent that looks for a moved file searches, guesses, or creates the file again in the old place.",
        "- The parser is in `src/parser.py`.   (renamed to src/parse/text.py in 3f2a91c)",
        "- The parser is in `src/parse/text.py`.",
        "Reporting every token that looks like a path was wrong in 72 to 92 % of 36 judged findings of a peer; the "
        "history is "
        "what tells a stale path from a word with a slash.",
    ),
    Rule(
        "REF002",
        "unknown-path",
        INFO,
        "none",
        "A path in backticks does not exist, and the history does not contain it. It is an error if a file of its name "
        "exists elsewhere, or if the path exists in another case.",
        "The file may be created at run time, belong to another repository, or be a mistake. Only the author knows.",
        "- See `docs/desing.md`.",
        "- See `docs/design.md`.",
        "For information only, as most of them are no mistakes.",
    ),
)
def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield paths that were removed, and paths that never existed.

    The history costs more than all else, and is read for the first path that is not there and that nothing excuses.
    """
    if not workspace.project.paths:
        return
    path_index = PathIndex(workspace.project)
    packaged = find_packaged(workspace)
    for document in workspace.documents:
        if document.role not in (FileRole.PROMPT, FileRole.DAILY) and not is_archived(document.path):
            sections = PastSections(document)
            is_packaged = document.path in packaged
            by_path: dict[str, LintFinding] = {}
            for mention in find_mentions(document):
                for finding in _check_mention(document, mention, path_index, sections, is_packaged):
                    first = by_path.get(finding.essence)
                    by_path[finding.essence] = finding if first is None else add_place(first, finding)
            yield from by_path.values()
            if not is_packaged:
                yield from find_gone_commands(document, path_index, sections, by_path)
                yield from find_drawn_paths(document, path_index, sections)
    if path_index.is_history_read and (problem := workspace.project.history_problem()):
        workspace.notice(f"{problem}: paths that were removed are reported as unknown ones (REF002), or not at all")


def _check_mention(
    document: MarkdownDocument,
    mention: PathMention,
    path_index: PathIndex,
    sections: PastSections,
    is_packaged: bool,
) -> Iterator[LintFinding]:
    """Yield the finding for a path that is not there; a packaged document means its own files or another project's."""
    directory = dirname(document.path)
    path = mention.path.removeprefix("./").rstrip("/")
    if path_index.exists(path, directory):
        if not is_packaged:
            yield from _check_case(document, mention, path_index)
        return
    if path.startswith("../..") or is_build_path(path) or _is_excused(document, mention, sections):
        return
    # A bare name means a file in the document's directory; a removed file of this name further up is another file.
    places = list(candidate_paths(path, directory)) if "/" in path else [f"{directory}/{path}" if directory else path]
    gone = next(((place, past) for place in places if (past := path_index.find_removal(place))), None)
    if gone is None and not is_packaged:
        gone = _find_gone_end(document, path, path_index)
        places = [gone[0]] if gone else places
    is_foreign = is_packaged and not (directory and path.startswith(f"{directory}/"))
    if gone is not None and is_foreign and not _is_here(*gone, directory, path_index):
        gone = None
    if gone is None and (is_foreign or path.startswith(".")):  # another project's, or what tools keep for themselves
        return
    if gone is None and not ("/" in path and EXTENSION.search(path) and path.split("/", 1)[0] in path_index.top_names):
        return
    if any(path_index.is_ignored(place) for place in places):
        return
    if gone is None:
        yield from _find_unknown(document, mention, path_index)
    elif path.lower() not in COMMON_NAMES and gone[1].renamed_to not in (gone[0], path):  # else git has it
        yield make_stale_finding(document, mention, *gone)


def _is_excused(document: MarkdownDocument, mention: PathMention, sections: PastSections) -> bool:
    """Return whether the text around a path says that it is gone, may be missing, is not to be used, or is a sample."""
    if says_gone(mention.prose) or says_optional(mention.clause) or rejects_path(mention.before, mention.after):
        return True
    if sections.is_past(mention.line):
        return True
    introduction = find_introduction(document, mention.line)
    is_sample = introduces_samples(introduction) or is_in_samples(document, mention.line)
    return is_sample or introduces_gone(introduction) or introduces_new(introduction)


def _check_case(document: MarkdownDocument, mention: PathMention, path_index: PathIndex) -> Iterator[LintFinding]:
    """Yield the finding for a path that exists in another case only."""
    real = path_index.find_in_other_case(mention.path.removeprefix("./").rstrip("/"), dirname(document.path))
    if real and not rejects_path(mention.before, mention.after):
        message = f"`{mention.path}` is {real} in the project: systems that tell capitals apart do not find it"
        yield make_path_finding(document, mention, "REF002", ERROR, message)


def _find_gone_end(
    document: MarkdownDocument, path: str, path_index: PathIndex
) -> tuple[str, RemovedPath] | None:
    """Return the removed path that ends with a path, and its removal.

    Skills, commands and memories name files without a directory that are those of other projects, or made as they run.
    A bare name does not mean a removed file of a test or an example: users of the project have files of this name.
    """
    if "/" not in path and (document.role not in STATED_ROLES or not EXTENSION.search(path)):
        return None
    place = path_index.find_removed_end(path)
    if "/" not in path and _TRIAL.search(place):
        return None
    past = path_index.find_removal(place) if place else None
    return (place, past) if past else None


def _is_here(place: str, past: RemovedPath, directory: str, path_index: PathIndex) -> bool:
    """Return whether a packaged document means a path of this project: its own, or one with another name now."""
    return bool(directory and place.startswith(f"{directory}/")) or past.renamed_to in path_index.project.paths


def _find_unknown(document: MarkdownDocument, mention: PathMention, path_index: PathIndex) -> Iterator[LintFinding]:
    """Yield the finding for a path that never existed: an error if a file of its name stands elsewhere."""
    message = f"`{mention.path}` does not exist"
    meant = path_index.find_meant(mention.path, dirname(document.path))
    named = [path for path in meant if not _is_of_another_skill(path, document.path)]
    is_common = mention.path.rsplit("/", 1)[-1].lower() in COMMON_NAMES
    if named and not is_common and len(named) <= MAX_NAMED and document.role is not FileRole.MEMORY:
        message = f"{message}; there is {' and '.join(named)}"
        yield make_path_finding(document, mention, "REF002", ERROR, message)
    elif document.role not in (FileRole.SKILL, FileRole.COMMAND):  # these often name files of the project they work on
        yield make_path_finding(document, mention, "REF002", INFO, message)


def _is_of_another_skill(path: str, document: str) -> bool:
    """Return whether a path lies in the directory of a skill to which a document does not belong."""
    head, separator, rest = f"/{path}".rpartition("/skills/")
    home = f"{head}{separator}{rest.partition('/')[0]}/"
    return bool(separator) and "/" in rest and not f"/{document}".startswith(home)


_TRIAL = compile_lazily(r"(?:^|[/_-])(?:tests?|examples?|fixtures?|samples?|demos?)(?:[_-][^/]{1,60})?/", re.IGNORECASE)
"""Matches the directory of a test, an example or a trial."""
MAX_NAMED = 2
"""Maximum files of a name that a message suggests: of more, any may be meant."""
