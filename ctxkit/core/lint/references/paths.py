"""Find the paths that a document mentions in backticks, in commands and in drawn trees, and look them up."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from posixpath import dirname, join, normpath, relpath
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.inline import blank_code_spans, find_code_spans, text_lines
from ctxkit.core.lint.document.markdown import Block, MarkdownDocument
from ctxkit.core.lint.document.workspace import ProjectInfo, RemovedPath

EXTENSION = compile_lazily(
    r"\.(?:c|cc|cfg|cjs|conf|cpp|cs|css|csv|cts|dart|env|ex|exs|go|gradle|graphql|h|hcl|hpp|html|ini|java|js|json"
    r"|jsonc|json5|jsx|kt|kts|less|lock|lua|m|md|mdc|mdx|mjs|mk|ml|mm|mts|nix|php|pl|plist|prisma|proto|ps1|py|pyi"
    r"|rb|rs|rst|scala|scss|sh|sol|sql|svelte|svg|swift|tf|toml|ts|tsx|txt|vue|xml|yaml|yml|zig)$"
)
_ARCHIVE_PATH = compile_lazily(
    r"(?:^|/)[_.]?(?:archived?|old|legacy|deprecated|backups?|templates?|examples?|samples?|fixtures?|testdata|test-data"
    r"|snapshots?|__\w+__)(?:/|$)",
    re.IGNORECASE,
)
"""Directories whose documents describe another time or project."""
_PATH = compile_lazily(r"(?:\./)?[\w.@+-]+(?:/[\w.@+-]+)*/?$")
_SUFFIX = compile_lazily(r"(?::\d{1,20}(?:[-:,]\d{1,20}){0,9}|#L?\d[\w-]*|\(\))$")
_PLACEHOLDER = compile_lazily(
    r"(?:^|[/_.-])(?:foo|bar|baz|qux|example|examples|my|your|path/to|xxx+|yyyy|mm|dd|nnn|placeholder|dummy"
    r"|pascal_?case|camel_?case|(?:screaming_)?snake_case|kebab-case|upper_?case|lower_?case)(?:[/_.-]|$)"
    r"|(?:^|[/_.-])(?-i:N{1,2}|XX?)(?=[/_.-]|$)|(?-i:[A-Z]{4}-[A-Z]{2})|//|\.\.\.",
    re.IGNORECASE,
)
_LABEL = compile_lazily(r"\[[^\[\]\n]{1,400}\]\([^()\s]{1,400}[) ]")
"""Matches a link with its label."""
_BLOCK_START = compile_lazily(r"\s*(?:[-*+#>|]|\d{1,9}[.)])(?:\s|$)|\s*$")
_SENTENCE_END = compile_lazily(r"(?<=[.!?。])(?:\s|$)")
_CLAUSE_END = compile_lazily(r"(?<!e\.g)(?<!i\.e)(?<!\bcf)[.!?](?=\s)|[;。；！？]")
_FINISHED = compile_lazily(r"[.!?。！？:：|][\s*_)\"'”]*$|^[^\S\n]*#")
"""Matches a line whose last sentence ends with it."""
_MAX_SENTENCE = 400
"""Maximum characters of a sentence that are read on the line above or below."""
_MIN_LENGTH = 3
_MAX_PARENTS = 40
"""Maximum number of parent directories in which a path is looked up."""
MANIFESTS = (
    *("package.json", "pyproject.toml", "setup.py", "cargo.toml", "go.mod", "composer.json", "pom.xml", "gemfile"),
    *("build.gradle", "build.gradle.kts", "mix.exs", "pubspec.yaml", "package.swift"),
)
"""Files, in lower case, that make a directory a package of its own."""
_MAX_RENAMES = 10
"""Maximum number of renames of a file that are followed."""


def is_archived(path: str) -> bool:
    """Return whether a file is below a directory of archived files, templates or examples."""
    return _ARCHIVE_PATH.search(dirname(path)) is not None


class PathMention(NamedTuple):
    """A path in a document, its position (line, 0-based offset), and its context.

    The context is the line with code spans blanked, with its first and last sentence from their beginning on the line
    above and to their end on the line below; ``clause`` is the part of it around the path, between full stops and
    semicolons; ``before`` is what precedes the path there, and ``after`` what follows it.
    """

    path: str
    line: int
    start: int
    prose: str
    clause: str
    before: str = ""
    after: str = ""


def find_mentions(document: MarkdownDocument) -> Iterator[PathMention]:
    """Yield the paths in backticks outside of code blocks, front matter and drawn trees."""
    lines = list(text_lines(document))
    for place, (number, line) in enumerate(lines):
        if "`" in line and not any(mark in line for mark in "├└│"):
            labels = [match.span() for match in _LABEL.finditer(line)] if "](" in line else []
            context: MentionContext | None = None
            for span in find_code_spans(line):
                path = _SUFFIX.sub("", span.text.strip())
                is_label = any(start < span.start < end for start, end in labels)  # REF005 checks its target
                if not is_label and is_path(path):
                    context = context or _make_context(lines, place)
                    yield context.make_mention(path, number, span.start + span.text.index(path))


class MentionContext:
    """The sentences of a line, the first one from its beginning on the line above, the last one to its end below."""

    def __init__(self, above: str, line: str, below: str) -> None:
        beginning = _find_sentence_beginning(above, line)
        self._shift = len(beginning)
        self._prose = beginning + blank_code_spans(line) + _find_sentence_ending(line, below)
        self._ends = [0, *(match.end() for match in _CLAUSE_END.finditer(self._prose)), len(self._prose)]

    def make_mention(self, path: str, number: int, start: int) -> PathMention:
        """Return the mention of a path at an offset of the line."""
        at = self._shift + start
        after = bisect_right(self._ends, at, 1, len(self._ends) - 1)
        first, last = self._ends[after - 1], self._ends[after]
        before, behind = self._prose[first:at].rstrip(), self._prose[at:last].lstrip()
        return PathMention(path, number, start, self._prose, self._prose[first:last], before, behind)


def _make_context(lines: Sequence[tuple[int, str]], place: int) -> MentionContext:
    """Return the context of the line at a place among the numbered lines of a document."""
    number, line = lines[place]
    below = lines[place + 1] if place + 1 < len(lines) else (0, "")
    return MentionContext(lines[place - 1][1] if place else "", line, below[1] if below[0] == number + 1 else "")


def _find_sentence_beginning(above: str, line: str) -> str:
    """Return the part of the line above that belongs to the first sentence of a line, "" where a block begins."""
    if not above.strip() or _BLOCK_START.match(line):
        return ""
    return blank_code_spans(_SENTENCE_END.split(above[-_MAX_SENTENCE:])[-1]) + " "


def _find_sentence_ending(line: str, below: str) -> str:
    """Return the part of the line below that belongs to the last sentence of a line, "" where a block begins."""
    if _BLOCK_START.match(below) or _FINISHED.search(line):
        return ""
    return " " + _SENTENCE_END.split(blank_code_spans(below[:_MAX_SENTENCE]), maxsplit=1)[0]


def is_path(text: str) -> bool:
    """Return whether a code span is the path of a file or directory, and not a placeholder."""
    if len(text) < _MIN_LENGTH or text.startswith(("@", "-", "+")):
        return False
    if not _PATH.match(text) or _PLACEHOLDER.search(text):
        return False
    if "/" in text.rstrip("/"):
        return True
    return bool(EXTENSION.search(text)) and not text.startswith(".")


def candidate_paths(path: str, directory: str) -> Iterator[str]:
    """Yield the paths that a name may refer to: from the file's directory up to the root."""
    here = directory
    for _ in range(_MAX_PARENTS):
        candidate = normpath(join(here, path))
        if not candidate.startswith(".."):
            yield candidate
        if not here:
            return
        here = dirname(here)


class PathIndex:
    """Index of the existing paths: from the root, from a directory, or as the end of a longer path."""

    def __init__(self, project: ProjectInfo) -> None:
        self.project = project
        self.top_names = {path.split("/", 1)[0] for path in project.paths}
        self._tails: dict[str, list[str]] = {}
        for path in project.paths:
            self._tails.setdefault(path.rsplit("/", 1)[-1].lower(), []).append(path)
        self._ends: dict[str, set[str]] = {}
        self._manifest_homes = {dirname(path) for name in MANIFESTS for path in self._tails.get(name, ())}
        self.is_history_read = False
        self._stems: dict[str, set[str]] = {}
        for name in self._tails:
            for stem in (name, name.rsplit(".", 1)[0]):
                self._stems.setdefault(stem, set()).add(name)

    def exists(self, path: str, directory: str) -> bool:
        """Return whether a path exists relative to any directory, ignoring case."""
        end = normpath(path).lstrip("/").lower()
        while end.startswith("../"):
            end = end[3:]
        above, _, last = end.rpartition("/")
        if not above and last in self._stems:
            return True
        names = self._stems.get(last, ())
        if any((f"{above}/{name}" if above else name) in self._path_suffixes(name) for name in names):
            return True
        return any(candidate in self.project.paths for candidate in candidate_paths(path, directory))

    def find_in_other_case(self, path: str, directory: str) -> str:
        """Return the existing path that differs from one with directories in its case alone, "" if there is none."""
        end = normpath(path)
        if "/" not in end or end.startswith(("../", "/")):
            return ""
        if any(candidate in self.project.paths for candidate in candidate_paths(path, directory)):
            return ""
        named = self._tails.get(end.rsplit("/", 1)[-1].lower(), ())
        alike = [name for name in named if f"/{name}".lower().endswith(f"/{end.lower()}")]
        return "" if any(f"/{name}".endswith(f"/{end}") for name in alike) else next(iter(sorted(alike)), "")

    def find_named(self, path: str) -> list[str]:
        """Return the existing paths, sorted, that have the file name of a path, ignoring case."""
        return sorted(self._tails.get(path.rsplit("/", 1)[-1].lower(), ()))

    def find_package(self, directory: str) -> str:
        """Return the nearest directory from one up that has a manifest, "" if that is the root or there is none."""
        while directory and directory not in self._manifest_homes:
            directory = dirname(directory)
        return directory

    def find_meant(self, path: str, directory: str) -> list[str]:
        """Return the existing files with the name of a missing path, sorted, in the package that the path names.

        Of files in several directories, those count that have the most directories in common with the path.
        """
        parents = [dirname(place) for place in candidate_paths(path, directory)]
        known = next((deepest for parent in parents if (deepest := self._find_deepest(parent))), "")
        package = self.find_package(known)
        files = [name for name in self.find_named(path) if self.find_package(dirname(name)) == package]
        directories = set(path.split("/")[:-1])
        common = {name: len(directories.intersection(name.split("/")[:-1])) for name in files}
        return [name for name in files if common[name] == max(common.values())]

    def _find_deepest(self, directory: str) -> str:
        """Return the deepest existing directory of a path to one, "" for none."""
        while directory and directory not in self.project.paths:
            directory = dirname(directory)
        return directory

    def _path_suffixes(self, name: str) -> set[str]:
        """Return all suffixes of the paths with a file name."""
        if name not in self._ends:
            parts = [path.lower().split("/") for path in self._tails[name]]
            self._ends[name] = {"/".join(words[start:]) for words in parts for start in range(len(words))}
        return self._ends[name]

    def is_ignored(self, place: str) -> bool:
        """Return whether version control ignores a path, as a file or as a directory."""
        return self.project.is_ignored(place) or self.project.is_ignored(f"{place}/")

    def find_removed_end(self, path: str) -> str:
        """Return the removed path that ends with a path, "" if there is none or several: any may be meant.

        A bare name does not mean a file of the root: that would stand beside the document that names it.
        """
        self.is_history_read = True
        end = f"/{normpath(path).lower()}"
        named = self.project.removed_named(path.rsplit("/", 1)[-1])
        ends = [place for place in named if place.lower().endswith(end) and place not in self.project.paths]
        return ends[0] if len(ends) == 1 else ""

    def find_removal(self, place: str) -> RemovedPath | None:
        """Return the removal of a path, following renames to its current path."""
        self.is_history_read = True
        removal = latest = self.project.history(place)
        for _ in range(_MAX_RENAMES):
            if latest is None or not latest.renamed_to or latest.renamed_to in self.project.paths:
                return latest or removal
            removal, latest = latest, self.project.history(latest.renamed_to)
        return removal


def rewrite_path(document: MarkdownDocument, written: str, place: str, new_path: str) -> str:
    """Return the new path in the form of the old one: relative to the root or to the document's directory."""
    path = written.removeprefix("./").rstrip("/")
    here = dirname(document.path)
    if normpath(path) == place:
        return new_path
    if normpath(join(here, path)) != place or not here:
        return ""
    near = relpath(new_path, here)
    return "" if near.startswith("../..") else f"./{near}" if written.startswith("./") else near


SHELLS = ("bash", "sh", "shell", "zsh", "console", "fish", "shell-session", "terminal")
"""Words after the ticks of a fence of shell commands."""
_ELSEWHERE = compile_lazily(
    r"\b(?:cd|pushd|ssh|scp|rsync|chroot|git clone|docker(?:[ -]compose)? (?:exec|run)"
    r"|kubectl exec)[ ]"
)
"""Matches a command after which paths are those of another directory or machine."""
_MAKER = compile_lazily(
    r"[ \t]*(?:\$[ ])?(?:sudo[ ])?(?:touch|mkdir|cp|mv|ln|tee|curl|wget|rm|git|echo|printf|zip|tar|unzip|mktemp)\b"
)
"""Matches a command that makes, moves or removes files, or that looks into other times."""
_WRITTEN = compile_lazily(r"(?:>|(?:^|\s)-{1,2}(?:o|O|out|output|outfile|out-file|dest|to|save|report|log)[ =])[ \t]*$")
"""Matches the text before a file that a command writes."""
_FILE = compile_lazily(
    r"(?:^|(?<=[\s='\"]))(?:\./)?[\w@+-][\w.@+-]{0,100}(?:/[\w.@+-]{1,100}){0,20}(?=[\s;&|)'\"]|$)"
)
_MODULE = compile_lazily(
    r"(?:^|[\s&|;])(?:uv run |poetry run )?python3?[ ]-m[ ](?P<name>[a-zA-Z_]\w*(?:\.\w+){1,8})(?=[\s;&|]|$)"
)


def find_command_mentions(document: MarkdownDocument) -> Iterator[PathMention]:
    """Yield the files that the commands in shell fences read or run, as far as they run in the project.

    Only the remark behind a command says something of its files.
    """
    for block in document.blocks:
        if block.kind == "fence" and block.closed and block.info.split(" ")[0].lower() in SHELLS:
            for number in range(block.line + 1, block.end_line):
                line = document.at(number)
                if _ELSEWHERE.search(line):
                    break
                command, _, remark = line.partition(" #")
                if not _MAKER.match(command) and not line.lstrip().startswith("#"):
                    for match in _FILE.finditer(command):
                        if _is_read(command, match[0], match.start()):
                            context = MentionContext("", remark.rjust(len(line)), "")
                            yield context.make_mention(match[0], number, match.start())


def _is_read(command: str, path: str, start: int) -> bool:
    """Return whether a word of a command is a file that it reads or runs."""
    return EXTENSION.search(path) is not None and is_path(path) and not _WRITTEN.search(command[:start])


def find_modules(document: MarkdownDocument) -> Iterator[PathMention]:
    """Yield the Python modules that commands in code spans and shell fences run; their paths have dots."""
    for block in document.blocks:
        if block.kind == "fence" and block.closed and block.info.split(" ")[0].lower() in SHELLS:
            for number in range(block.line + 1, block.end_line):
                for module in _MODULE.finditer(document.at(number).partition(" #")[0]):
                    yield MentionContext("", "", "").make_mention(module["name"], number, module.start("name"))
    for number, line in text_lines(document):
        for span in find_code_spans(line) if "python" in line else ():
            if match := _MODULE.search(span.text):
                context = MentionContext("", line, "")
                yield context.make_mention(match["name"], number, span.start + match.start("name"))


_ENTRY = compile_lazily(
    r"(?P<indent>[│|┃ \t\u00a0]*)[├└┣┗|`+][─━-]{1,3}[ \t\u00a0]?"
    r"(?P<name>[\w.@()\[\]$+-]+(?:/[\w.@()\[\]$+-]+)*)/?(?=[\s,#←→]|$)"
)
"""Matches an entry with a path: a name with blanks or wildcards is none."""
_MARKS = ("├", "└", "┣", "┗", "|--", "`--", "+--")
_TAB_SIZE = 4
"""Columns of a tab in a drawing."""


class DrawnEntry(NamedTuple):
    """A file or directory of a drawn tree: its path from the top of the tree, its line, and the text after it."""

    path: str
    line: int
    text: str


class DirectoryDrawing(NamedTuple):
    """A tree below one line, ``top``, which names its directory or project; "" if no line does."""

    top: str
    entries: tuple[DrawnEntry, ...]


def find_drawn_trees(document: MarkdownDocument) -> Iterator[tuple[Block, list[DirectoryDrawing]]]:
    """Yield each fence of a document with the trees drawn in it."""
    for block in document.blocks:
        if block.kind == "fence" and block.closed:
            lines = [(number, document.at(number)) for number in range(block.line + 1, block.end_line)]
            if any(mark in line for _, line in lines for mark in _MARKS):
                yield block, list(_read_trees(lines))


def _read_trees(lines: list[tuple[int, str]]) -> Iterator[DirectoryDrawing]:
    top = ""
    entries: list[DrawnEntry] = []
    parents: list[tuple[int, str]] = []
    for number, line in lines:
        match = _ENTRY.match(line)
        if match is None:
            if not line.strip("│|┃ \t\u00a0\r") or any(mark in line for mark in _MARKS):
                continue  # a line between entries, or an entry that is no path
            if entries:
                yield DirectoryDrawing(top, tuple(entries))
            top, entries, parents = line.partition("#")[0].split("  ")[0].strip().rstrip("/"), [], []
            continue
        depth = len(match["indent"].expandtabs(_TAB_SIZE))
        while parents and parents[-1][0] >= depth:
            parents.pop()
        parents.append((depth, match["name"]))
        entries.append(DrawnEntry("/".join(name for _, name in parents), number, line[match.end() :]))
    if entries:
        yield DirectoryDrawing(top, tuple(entries))
