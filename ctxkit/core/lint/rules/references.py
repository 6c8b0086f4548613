"""Find paths that are gone or unknown, in text, commands and drawn directories (REF001, REF002)."""

import re
from collections.abc import Collection, Iterator
from posixpath import dirname, join, normpath

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import (
    ERROR,
    INFO,
    WARNING,
    Fix,
    LineRange,
    LintFinding,
    Rule,
    Severity,
    TextEdit,
)
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.workspace import RemovedPath, Workspace
from ctxkit.core.lint.references.excuses import (
    PastSections,
    find_packaged,
    is_build_path,
    rejects_path,
    says_gone,
    says_optional,
)
from ctxkit.core.lint.references.introductions import (
    find_introduction,
    introduces_gone,
    introduces_new,
    introduces_samples,
    is_in_samples,
)
from ctxkit.core.lint.references.paths import (
    EXTENSION,
    DirectoryDrawing,
    DrawnEntry,
    PathIndex,
    PathMention,
    candidate_paths,
    find_command_mentions,
    find_drawn_trees,
    find_mentions,
    find_modules,
    is_archived,
    rewrite_path,
)

_STATED_ROLES = (FileRole.INSTRUCTIONS, FileRole.RULES, FileRole.PERSONA, FileRole.TOOLS, FileRole.CONTEXT)
"""Roles of documents that describe the files of their project."""
_COMMON_NAMES = frozenset(
    (
        *("readme.md", "changelog.md", "todo.md", "plan.md", "notes.md", "spec.md", "package.json", "tsconfig.json"),
        *("setup.py", "setup.cfg", "pyproject.toml", "requirements.txt", "config.json", "config.yaml", "config.yml"),
        *("config.toml", "settings.json", "settings.py", "conftest.py", "main.py", "main.ts", "main.go", "main.rs"),
        *("index.ts", "index.js", "index.html", "app.py", "utils.py", "utils.ts", "types.ts", "lib.rs", "mod.rs"),
        *("package-lock.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "cargo.toml", "cargo.lock"),
        *("go.mod", "go.sum", "docker-compose.yml", "docker-compose.yaml", "makefile", "agents.md", "claude.md"),
        *("gemini.md", "memory.md", "soul.md", "user.md", "tools.md", "identity.md", "heartbeat.md", "bootstrap.md"),
        *(
            "context.md",
            "skill.md",
            "agent.md",
            "template.md",
            "index.md",
            "mcp.json",
            ".mcp.json",
            "design.md",
            "progress.md",
            "tasks.md",
        ),
    )
)
"""Names of files that text mentions in general, without meaning a particular file."""
_STORE = compile_lazily(
    r"(?:^|/)(?:archived?|archives|retired|legacy|old|deprecated|attic|backups?|history|completed|done|sprint\W?\d+"
    r"|v\d+|templates?|examples?|samples?|fixtures?)(?:/|$)",
    re.IGNORECASE,
)
"""Matches directories of files that are no longer in use, or that are examples."""
_MIN_ENTRIES = 3
"""Minimum entries of a drawing of the project: fewer may show anything."""
_MAX_TOLD = 3
"""Maximum paths that a message names."""
Removal = tuple[DrawnEntry, RemovedPath]
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
                yield from _find_gone_commands(document, path_index, sections, by_path)
                yield from _find_drawn_paths(document, path_index, sections)
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
    places = list(candidate_paths(path, directory)) if "/" in path else [join(directory, path)]
    gone = next(((place, past) for place in places if (past := path_index.find_removal(place))), None)
    if gone is None and not is_packaged:
        gone = _find_gone_end(document, path, path_index)
        places = [gone[0]] if gone else places
    is_foreign = is_packaged and not (directory and path.startswith(f"{directory}/"))
    if gone is not None and is_foreign and not _is_here(*gone, directory, path_index):
        gone = None
    if gone is None and (is_foreign or not _is_of_project(path, path_index)):
        return
    if any(path_index.is_ignored(place) for place in places):
        return
    if gone is None:
        yield from _find_unknown(document, mention, path_index)
    elif _is_stale(path, *gone):
        yield make_stale_finding(document, mention, *gone)


def _is_of_project(path: str, path_index: PathIndex) -> bool:
    """Return whether a path begins with a directory of the project, except what tools keep for themselves."""
    is_file = "/" in path and not path.startswith(".") and EXTENSION.search(path) is not None
    return is_file and path.split("/", 1)[0] in path_index.top_names


def _is_stale(path: str, place: str, past: RemovedPath) -> bool:
    """Return whether a path means the removed file: git may have it as a rename to what the document names."""
    return path.lower() not in _COMMON_NAMES and past.renamed_to not in (place, path)


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
        yield _make_path_finding(document, mention, "REF002", ERROR, message)


def _find_gone_end(
    document: MarkdownDocument, path: str, path_index: PathIndex
) -> tuple[str, RemovedPath] | None:
    """Return the removed path that ends with a path, and its removal.

    Skills, commands and memories name files without a directory that are those of other projects, or made as they run.
    A bare name does not mean a removed file of a test or an example: users of the project have files of this name.
    """
    if "/" not in path and (document.role not in _STATED_ROLES or not EXTENSION.search(path)):
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
    is_common = mention.path.rsplit("/", 1)[-1].lower() in _COMMON_NAMES
    if named and not is_common and len(named) <= _MAX_NAMED and document.role is not FileRole.MEMORY:
        message = f"{message}; there is {' and '.join(named)}"
        yield _make_path_finding(document, mention, "REF002", ERROR, message)
    elif document.role not in (FileRole.SKILL, FileRole.COMMAND):  # these often name files of the project they work on
        yield _make_path_finding(document, mention, "REF002", INFO, message)


def _is_of_another_skill(path: str, document: str) -> bool:
    """Return whether a path lies in the directory of a skill to which a document does not belong."""
    head, separator, rest = f"/{path}".rpartition("/skills/")
    home = f"{head}{separator}{rest.partition('/')[0]}/"
    return bool(separator) and "/" in rest and not f"/{document}".startswith(home)


_TRIAL = compile_lazily(r"(?:^|[/_-])(?:tests?|examples?|fixtures?|samples?|demos?)(?:[_-][^/]{1,60})?/", re.IGNORECASE)
"""Matches the directory of a test, an example or a trial."""
_MAX_NAMED = 2
"""Maximum files of a name that a message suggests: of more, any may be meant."""


def add_place(finding: LintFinding, other: LintFinding) -> LintFinding:
    """Return the finding about a path with another place that names it."""
    fixes = [fix for fix in (finding.fix, other.fix) if fix]
    edits = tuple(edit for fix in fixes for edit in fix.edits)
    related = tuple(dict.fromkeys((*finding.related, other.location)))
    return finding._replace(related=related, fix=fixes[0]._replace(edits=edits) if fixes else None)


def make_stale_finding(document: MarkdownDocument, mention: PathMention, place: str, past: RemovedPath) -> LintFinding:
    """Return the finding: an error in instructions, a warning in a memory, which may describe the past."""
    severity = WARNING if document.role is FileRole.MEMORY else ERROR
    when = f"{past.commit} ({past.date})"
    if not past.renamed_to:
        what = "does not exist since" if mention.path.endswith("/") else "was removed in"
        return _make_path_finding(document, mention, "REF001", severity, f"`{mention.path}` {what} {when}")
    message = f"`{mention.path}` was renamed to {past.renamed_to} in {when}"
    new = rewrite_path(document, mention.path, place, past.renamed_to) if _is_move(place, past.renamed_to) else ""
    start = document.starts[mention.line - 1] + mention.start
    edit = TextEdit(document.path, start, start + len(mention.path), new)
    fix = Fix((edit,), False, f"name its new path, {new}") if new else None
    return _make_path_finding(document, mention, "REF001", severity, message)._replace(fix=fix)


def _is_move(old_path: str, new_path: str) -> bool:
    """Return whether a rename only moved a file or gave it another name: its content has the same use.

    A file that became one of several in a directory, or that was put away, is not what the text means.
    """
    is_same_name = old_path.rsplit("/", 1)[-1] == new_path.rsplit("/", 1)[-1]
    is_put_away = _STORE.search(dirname(new_path)) is not None and not _STORE.search(dirname(old_path))
    return not is_put_away and (is_same_name or dirname(old_path) == dirname(new_path))


def _make_path_finding(
    document: MarkdownDocument,
    mention: PathMention,
    code: str,
    severity: Severity,
    message: str,
) -> LintFinding:
    """Return a finding at the mention of a path."""
    return LintFinding(
        code,
        severity,
        document.path,
        mention.line,
        mention.line,
        message,
        column=mention.start + 1,
        end_column=mention.start + 1 + len(mention.path),
        essence=mention.path,
    )


def _find_gone_commands(
    document: MarkdownDocument, path_index: PathIndex, sections: PastSections, known: Collection[str]
) -> Iterator[LintFinding]:
    """Yield the first command that names each file that is gone; ``known`` paths have a finding already."""
    if document.role not in _STATED_ROLES:
        return
    pairs = [(mention, _list_places(document, mention)) for mention in find_command_mentions(document)]
    pairs += [(mention, _list_modules(mention)) for mention in find_modules(document)]
    by_path: dict[str, LintFinding] = {}
    for mention, places in pairs:
        if mention.path not in known and not _is_excused_command(document, mention, sections):
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


def _is_excused_command(document: MarkdownDocument, mention: PathMention, sections: PastSections) -> bool:
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
    if any(path_index.exists(place, "") for place in places) or mention.path.lower() in _COMMON_NAMES:
        return None
    if any(is_build_path(place) or path_index.is_ignored(place) for place in places):
        return None
    removals = ((place, path_index.find_removal(place)) for place in places)
    gone = next(((place, past) for place, past in removals if past), None)
    return make_stale_finding(document, mention, *gone) if gone else None


def _find_drawn_paths(document: MarkdownDocument, path_index: PathIndex, past: PastSections) -> Iterator[LintFinding]:
    """Yield a finding for each fence whose drawn directories show paths that were removed or renamed."""
    for block, trees in find_drawn_trees(document):
        introduction = find_introduction(document, block.line)
        if past.is_past(block.line) or introduces_gone(introduction) or introduces_samples(introduction):
            continue
        removals = [removal for tree in trees for removal in _find_removals(tree, dirname(document.path), path_index)]
        if removals:
            yield _make_finding(document, removals)


def _is_excused_entry(entry: DrawnEntry) -> bool:
    """Return whether a build makes an entry, or its remark says that it is gone or may be missing."""
    return is_build_path(entry.path) or says_gone(entry.text) or says_optional(entry.text)


def _find_removals(tree: DirectoryDrawing, directory: str, path_index: PathIndex) -> list[Removal]:
    """Return the entries of a tree that are gone; none if most of it is not there: it shows something else."""
    removals: list[Removal] = []
    missing = 0
    for entry in tree.entries:
        names = (entry.path, join(tree.top.removeprefix("./"), entry.path))
        if any(path_index.exists(name, directory) for name in names):
            continue
        missing += 1
        if _is_excused_entry(entry):
            continue
        places = [place for name in names for place in candidate_paths(name, directory)]
        if any(path_index.is_ignored(place) for place in places):
            continue
        past = next(filter(None, map(path_index.find_removal, places)), None)
        if past is not None:
            removals.append((entry, past))
    is_drawn = len(tree.entries) >= _MIN_ENTRIES and missing <= len(tree.entries) - missing
    return removals if is_drawn else []


def _make_finding(document: MarkdownDocument, removals: list[Removal]) -> LintFinding:
    listed = ", ".join(_describe(*removal) for removal in removals[:_MAX_TOLD])
    rest = len(removals) - _MAX_TOLD
    count = f"{len(removals)} paths that are" if len(removals) > 1 else "a path that is"
    message = f"the drawn directories show {count} gone: {listed}{f', and {rest} more' if rest > 0 else ''}"
    first, *others = (entry for entry, _ in removals)
    return LintFinding(
        "REF001",
        WARNING if document.role is FileRole.MEMORY else ERROR,
        *(document.path, first.line, first.line, message),
        related=tuple(_locate(document, entry) for entry in others),
        essence="\n".join(entry.path for entry, _ in removals),
    )


def _locate(document: MarkdownDocument, entry: DrawnEntry) -> LineRange:
    return LineRange(document.path, entry.line, entry.line)


def _describe(entry: DrawnEntry, past: RemovedPath) -> str:
    what = f"renamed to {past.renamed_to}" if past.renamed_to else "removed"
    return f"`{entry.path}` ({what} in {past.commit}, {past.date})"
