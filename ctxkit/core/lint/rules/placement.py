"""Check where files lie, which files rules apply to, and that tables are read as meant (STR004 to STR009)."""

import re
from collections.abc import Iterator
from posixpath import dirname

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import INFO, WARNING, LineRange, LintFinding, Rule
from ctxkit.core.lint.document.globs import matches
from ctxkit.core.lint.document.inline import text_lines
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.workspace import Workspace, is_never_ignored
from ctxkit.core.lint.loading.load_sets import find_home
from ctxkit.core.lint.references.introductions import find_introduction, introduces_samples, is_in_samples
from ctxkit.core.lint.references.paths import is_archived
from ctxkit.core.lint.rules.front_matter import EVIDENCE, FieldSchema, find_schema

RULES = (
    Rule(
        "STR004",
        "file-not-loaded",
        WARNING,
        "none",
        "A file is in a directory of a host, and its name or its place keeps the host from loading it.",
        "The author believes that its rules apply. No host reads them.",
        ".cursor/rules/style.md",
        ".cursor/rules/style.mdc, with front matter",
        EVIDENCE,
    ),
    Rule(
        "STR005",
        "pattern-without-file",
        WARNING,
        "none",
        "A rule applies to files that match a pattern, and no file does, or the directory of a pattern does not exist.",
        "The host never loads the rule. The pattern often names a directory that was moved.",
        "---\npaths: src/server/**\n---   (there is no src/server)",
        "---\npaths: packages/server/src/**\n---",
        EVIDENCE,
    ),
    Rule(
        "STR007",
        "local-file-shared",
        WARNING,
        "none",
        "Git does not ignore a file that is for one person only, such as .claude/settings.local.json.",
        "Its permissions and preferences apply to everyone who clones the repository.",
        ".claude/settings.local.json in the repository",
        ".claude/settings.local.json in .gitignore",
        "code.claude.com/docs/en/settings and /memory, read in November 2026: both files belong in .gitignore.",
    ),
    Rule(
        "STR008",
        "home-path",
        WARNING,
        "none",
        "Instructions contain an absolute path in the home directory of one person.",
        "The path exists on one machine. Everywhere else the agent looks for a file that is not there.",
        "Run /Users/mira/dev/shop/scripts/check.sh.",
        "Run scripts/check.sh.",
        "Found in instructions of public repositories.",
    ),
    Rule(
        "STR009",
        "table-broken",
        WARNING,
        "none",
        "The header of a table has another number of cells than the line of hyphens below it, or a row has more cells "
        "than the header.",
        "Markdown shows such a table as text, and drops the cells of a row that has too many. Most often a | inside of "
        "a cell is not escaped.",
        "| Command | Use |\n|---|---|\n| `a | b` | pipes |",
        "| Command | Use |\n|---|---|\n| `a \\| b` | pipes |",
        "GitHub Flavored Markdown, 'Tables': a | splits cells also in code, unless a backslash stands before it.",
    ),
)
_LOCAL_FILES = (".claude/settings.local.json", "CLAUDE.local.md", "AGENTS.local.md")
"""Files that hosts read for one person, below any directory."""
_MISPLACED = (
    (
        ".cursor/rules/**/*.md",
        "Cursor ignores .md files in .cursor/rules: a rule is a .mdc file, with front matter that says when it applies",
    ),
    (
        ".agents/skills/SKILL.md",
        "no host looks for a skill here: move it into a directory of its own, .agents/skills/NAME/SKILL.md",
    ),
    (
        ".claude/skills/*.md",
        "no host looks for a skill here: move it into a directory of its own, .claude/skills/NAME/SKILL.md",
    ),
    (
        ".github/instructions/**/*.md",
        "Copilot reads only files named NAME.instructions.md in .github/instructions",
    ),
    (".claude/rules/**/*.mdc", "Claude Code reads only .md files in .claude/rules"),
)
"""Patterns of files that no host loads, each with the reason and what to do."""
_LOADED_NAME = compile_lazily(r"\.(?:instructions|prompt)\.md$|/README\.md$|/RULE\.md$|/_[^/]{1,100}$", re.IGNORECASE)
"""Matches names that are right, pages about a directory, parts that other files name, and RULE.md, which some versions
of Cursor load.
"""
_HOME = compile_lazily(
    r"(?<![\w/.:~-])(?:/Users/|/home/|[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2})(\w[\w.-]{0,63})[\\/]{1,2}[\w.-]"
)
_ANYBODY = compile_lazily(
    r"(?:your?|my|the|some|other|example|test|user|person|name|me|username|admin|default|public|shared|guest|nobody"
    r"|runner|node|vscode|ubuntu|debian|ec2-user|root|app|jovyan|circleci|coder|codespace|linuxbrew|runneradmin|vagrant"
    r"|pi|dev|developer|agent|claude|work|workspace|repos?|projects?|src|code|sandbox|foo|bar|john|jane|alice|bob|xxx*|[a-z]|[a-z]+[-_](?:user|svc|service|account))[-_.]?(?:user|name|username|here|doe|dev)?\d*$",
    re.IGNORECASE,
)
"""Matches names that stand for anybody, or for the user of an image."""
_REMOTE = compile_lazily(
    r"\b(?:ssh|scp|rsync|sftp)\s|\b(?:docker(?:[ -]compose)?|podman|kubectl)\b[^\n]{0,80}\s(?:exec|run|cp)\s"
    r"|\w@[\w.-]{1,100}:(?=[/~\s]|$)"
    r"|\b(?:prod(?:uction)?|staging|remote) (?:box|server|host|machine)\b|\b(?:vps|droplet)\b",
    re.IGNORECASE,
)
"""Matches a command for another machine or a container, or its name: its directories are the same for everyone."""
_SAMPLE = compile_lazily(
    r"\b(?:for (?:example|instance)|e\.g|examples?(?=\s*:)|such as|(?:verified|measured|tested|observed|checked|seen)"
    r"\W{1,3}(?:on\W{1,3})?(?:19|20)\d\d-\d\d)|示例|例如",
    re.IGNORECASE,
)
"""Matches the words of an example or of a dated report: nobody goes to its path."""
_MAX_LINE = 600
"""Characters around a path that are searched for such words."""
_STATED_ROLES = (FileRole.INSTRUCTIONS, FileRole.RULES, FileRole.SKILL, FileRole.COMMAND)
_WILDCARDS = compile_lazily(r"[*?\[\]{}]")
_UNSURE = compile_lazily(r"[!\[\]?$<]")
"""Matches marks of patterns whose directory is not known."""
_MOST_PATTERNS = 200
"""Maximum patterns of a rule that are compared with the files of the project."""
_MOST_COMPARISONS = 100_000
"""Maximum paths that are compared with patterns, up to 50 microseconds each; only those with their fixed parts are."""
_MAX_PATTERN_LENGTH = 4_000
"""Characters of the patterns of a rule that are compared: braces multiply them."""
MOST_BRACES = 64
"""Maximum patterns that the braces of one pattern expand to."""


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield misplaced files, patterns without files, paths of one person, and broken tables."""
    yield from _find_misplaced(workspace)
    yield from _find_broken_tables(workspace)


def _find_misplaced(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield files that hosts do not load, patterns without files, shared local files, and paths of one person."""
    patterns = _PatternIndex(workspace)
    for document in workspace.documents:
        if is_archived(document.path):
            continue
        if (schema := find_schema(document.path)) is not None:
            yield from patterns.check(document, schema)
        if document.role in _STATED_ROLES:
            yield from _check_home_paths(document)
    yield from _check_places(workspace)
    if workspace.project.is_ignored is not is_never_ignored:
        for path in sorted(workspace.project.paths):
            if path.endswith(_LOCAL_FILES) and any(find_home(name, path) is not None for name in _LOCAL_FILES):
                message = "the file is for one person, and git keeps it: list it in .gitignore, and run git rm --cached"
                yield LintFinding("STR007", WARNING, path, 1, 1, message, essence=path)


def _check_places(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield a finding for the files of each directory that no host loads for the same reason."""
    for pattern, reason in _MISPLACED:
        by_directory: dict[str, list[str]] = {}
        for path in sorted({*workspace.project.paths, *(document.path for document in workspace.documents)}):
            is_misplaced = path.endswith((".md", ".mdc")) and find_home(pattern, path) is not None
            if is_misplaced and not (_LOADED_NAME.search(path) or is_archived(path)):
                by_directory.setdefault(dirname(path), []).append(path)
        for paths in by_directory.values():
            more = f" (and {len(paths) - 1} more)" if len(paths) > 1 else ""
            related = tuple(LineRange(path, 1, 1) for path in paths[1:])
            yield LintFinding("STR004", WARNING, paths[0], 1, 1, f"{reason}{more}", related=related, essence=reason)


def _check_home_paths(document: MarkdownDocument) -> Iterator[LintFinding]:
    if "/Users/" not in document.text and "/home/" not in document.text and "Users" not in document.text:
        return
    by_place: dict[str, LintFinding] = {}
    remote: set[str] = set()
    for number in range(1, document.lines + 1):
        line = document.at(number)
        for match in _HOME.finditer(line):
            place = match[0][:-1]
            around = line[max(0, match.start() - _MAX_LINE) : match.end() + _MAX_LINE]
            if _REMOTE.search(around):
                remote.add(place)
            elif not (_ANYBODY.match(match[1]) or _SAMPLE.search(around) or _is_sample(document, number)):
                finding = LintFinding(
                    "STR008", WARNING, document.path, number, number,
                    f"{place} is in the home directory of one person: write the path from the project or from ~",
                    column=match.start() + 1, end_column=match.end(), essence=place,
                )  # fmt: skip
                by_place.setdefault(place, finding)
    yield from (finding for place, finding in by_place.items() if place not in remote)


def _is_sample(document: MarkdownDocument, number: int) -> bool:
    """Return whether the line above a line, or above its list, introduces examples."""
    introduction = find_introduction(document, number)
    is_introduced = introduces_samples(introduction) or _SAMPLE.search(introduction) is not None
    return is_introduced or is_in_samples(document, number)


class _PatternIndex:
    """Compares the patterns of rules with the files of the project."""

    def __init__(self, workspace: Workspace) -> None:
        self._existing = workspace.project.paths
        self._paths = sorted(self._existing)
        self._found: dict[str, bool] = {}
        self._comparisons = 0
        self._is_ignored = workspace.project.is_ignored

    def check(self, document: MarkdownDocument, schema: FieldSchema) -> Iterator[LintFinding]:
        """Yield a finding if a rule at the root has patterns, and no file matches any of them."""
        text = document.metadata.get(schema.globs, "") if schema.globs else ""
        is_root = any(find_home(pattern, document.path) == "" for pattern in schema.paths)
        patterns = [pattern for part in split_patterns(text) for pattern in expand_braces(part)][:_MOST_PATTERNS]
        if not patterns or not self._paths or not is_root or len(text) > _MAX_PATTERN_LENGTH:
            return
        line = document.header.lines.get(schema.globs, 1)
        if not any(map(self._exists, patterns)) and any(map(_names_place, patterns)):
            message = f"no file matches {text[:100]}: {schema.host} never loads this {schema.kind} by itself"
            yield LintFinding("STR005", WARNING, document.path, line, line, message, essence=text)
        elif lost := [pattern for pattern in patterns if self._is_lost(pattern)]:
            message = f"{', '.join(lost)[:100]} matches nothing, because there is no such directory"
            yield LintFinding("STR005", INFO, document.path, line, line, message, essence=text)

    def _is_lost(self, pattern: str) -> bool:
        """Return whether a pattern begins with a directory that does not exist."""
        head, separator, _ = pattern.strip().removeprefix("./").partition("*")[0].rpartition("/")
        directory = head.lstrip("/")
        is_known = directory in self._existing or self._is_ignored(directory) or _UNSURE.search(pattern) is not None
        return bool(separator and directory) and "*" in pattern and not is_known

    def _exists(self, pattern: str) -> bool:
        if pattern not in self._found:
            plain = pattern.strip().removeprefix("./").removeprefix("!")
            is_ignored = "*" not in plain and bool(plain) and self._is_ignored(plain.lstrip("/"))
            self._found[pattern] = not plain or is_ignored or self._matches_any(plain)
        return self._found[pattern]

    def _matches_any(self, pattern: str) -> bool:
        """Return whether a path matches a pattern, at the root or below; True if that takes too many comparisons."""
        *parts, tail = (part.strip("/") for part in _WILDCARDS.split(pattern))
        for path in self._paths:
            if path.endswith(tail) and all(part in path for part in parts):
                self._comparisons += 1
                if self._comparisons > _MOST_COMPARISONS or matches(pattern, path) or matches(f"**/{pattern}", path):
                    return True
        return False


def _names_place(pattern: str) -> bool:
    """Return whether a pattern names a directory or a file: one for a kind of files may wait for the first one."""
    first, separator, rest = pattern.strip().removeprefix("./").lstrip("/").partition("/")
    return not _WILDCARDS.search(first) and bool(first) and (bool(separator and rest) or "." in first)


def split_patterns(text: str) -> list[str]:
    """Return the patterns of a list that is separated by commas outside of braces."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip().strip("\"'") for part in (*parts, text[start:]) if part.strip()]


def expand_braces(pattern: str) -> list[str]:
    """Return the patterns without braces that a pattern means: a.{js,ts} is a.js and a.ts; at most ``MOST_BRACES``."""
    expanded = [pattern]
    while len(expanded) <= MOST_BRACES and (match := re.search(r"\{([^{}]*)\}", expanded[0])):
        options = match[1].split(",")[:MOST_BRACES]
        expanded = [
            text.replace(match[0], option, 1) if match[0] in text else text for text in expanded for option in options
        ]
    return expanded[:MOST_BRACES]


_DELIMITER = compile_lazily(r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)++\|?[ \t]*+$")


def _find_broken_tables(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield tables whose lines do not have the same number of cells."""
    for document in workspace.documents:
        if is_archived(document.path):
            continue
        if document.role is not FileRole.PROMPT and "|" in document.text and "-|" in document.text.replace(" ", ""):
            yield from _check_tables(document)


def _check_tables(document: MarkdownDocument) -> Iterator[LintFinding]:
    previous, last, columns = "", 0, 0
    for number, line in text_lines(document):
        if "|" not in line or number > last + 1:
            columns = 0
        if columns:
            if (count := count_cells(line)) > columns:
                message = f"this row has {count} cells, and its table {columns}: write a | inside of a cell as \\|"
                yield LintFinding("STR009", INFO, document.path, number, number, message)
        elif "|" in previous and number == last + 1 and _DELIMITER.match(line):
            columns, header = count_cells(line), count_cells(previous)
            if header != columns:
                message = f"the header of this table has {header} cells and the line below it {columns}: it is no table"
                yield LintFinding("STR009", WARNING, document.path, number - 1, number, message)
                columns = max(header, columns)
        previous, last = line, number


def count_cells(line: str) -> int:
    """Return the number of cells of a line of a table; a pipe behind a backslash does not split a cell."""
    text = line.strip().replace("\\|", "  ")
    return text.removeprefix("|").removesuffix("|").count("|") + 1
