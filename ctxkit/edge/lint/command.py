"""Run ``dedupe``: read its options and its input, fix, write and report."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.errors import Exit, MalformedInputError, MissingInputError, UsageError
from ctxkit.core.lint.document.roles import describe_names
from ctxkit.core.lint.document.size import HINT
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.lint_settings import LintSettings
from ctxkit.core.lint.listing import FindingList, limit_findings
from ctxkit.core.lint.loading.assemble import ProjectListing, WorkspaceOptions, assemble_workspace
from ctxkit.core.lint.registry import rules
from ctxkit.core.lint.run import LintOptions, collect_findings, collect_listed, fix_all
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary, find_vocabulary
from ctxkit.edge import out, say, source
from ctxkit.edge.conversations import read_bytes
from ctxkit.edge.lint.options import DedupeOptions
from ctxkit.edge.lint.output import FindingsFormat, LintRun, write_findings
from ctxkit.edge.lint.writing import diff_documents, find_unwritable, write_baseline, write_documents
from ctxkit.edge.request import Call

if TYPE_CHECKING:
    pass


class Target(NamedTuple):
    """A directory to lint, and the files in it that the user named; empty for all.

    ``prefix`` is the path from the current directory to it, for output.
    """

    root: str
    files: tuple[str, ...] = ()
    prefix: str = ""


_MOST_BLANK = 1000
"""Maximum blank lines before the first object; a document may have more."""
Gather = Callable[[str, Tokenizer, WorkspaceOptions, tuple[str, ...]], Workspace]
"""Returns the workspace of a directory, including the files named by the user."""


class DedupeCommand:
    """A call of ``dedupe``, from its options to its exit status."""

    def __init__(self, paths: Sequence[str], options: DedupeOptions, call: Call) -> None:
        self._paths = list(paths)
        self._options = options
        self.control: LintSettings = options.resolve_control(call.settings["lint"])
        self.job: LintOptions = options.make_job(self.control)
        self.vocabulary: Vocabulary = _choose_vocabulary(call)
        if options.update_baseline and not self.control.baseline:
            raise UsageError("--update-baseline: there is no baseline", hint="--baseline FILE names it")

    def run(self, counter: Callable[[Vocabulary], Tokenizer], gather: Gather) -> Exit:
        """Read the input, fix it, write it and return the exit status."""
        tokens = counter(self.vocabulary)
        if self._paths == ["-"]:
            return self._lint_stdin(tokens)
        lint_targets = self._find_targets()
        runs = [self._lint_target(target, tokens, gather) for target in lint_targets]
        if self._options.diff:
            return self._show_diff(runs)
        changed_count = self._write_fixes(lint_targets, runs) if self._options.is_fixing else 0
        status = self._report(runs)
        return Exit.LOCKED if changed_count else status

    def _write_fixes(self, lint_targets: Sequence[Target], runs: Sequence[LintRun]) -> int:
        """Write the fixed files; return how many changed meanwhile."""
        return sum(
            write_documents(target.root, run.before, run.after) for target, run in zip(lint_targets, runs, strict=True)
        )

    def _find_targets(self) -> list[Target]:
        """Return the targets of the linter; read a list of files on stdin only once."""
        if self._options.files_from:
            self._paths += source.read_names(self._options.files_from)
            self._options = self._options._replace(files_from=None)
            if not self._paths:
                return []
        return find_targets(self._paths)

    def _workspace_options(self) -> WorkspaceOptions:
        return WorkspaceOptions(_read_prompt(self._options.prompt), self.control.load_sets, self.control.limits)

    def _lint_target(self, target: Target, tokens: Tokenizer, gather: Gather) -> LintRun:
        workspace = gather(target.root, tokens, self._workspace_options(), target.files)
        job = self.job
        if self._options.is_fixing or self._options.diff:
            unwritable = find_unwritable(target.root, [document.path for document in workspace.documents])
            for path, reason in unwritable.items():
                say.warn(f"{target.prefix}{path} {reason}, and is not fixed")
            job = job._replace(readonly=frozenset(unwritable))
        return self._lint(workspace, job, target.prefix, target.files)

    def _lint(self, workspace: Workspace, job: LintOptions, prefix: str = "", files: Sequence[str] = ()) -> LintRun:
        """Return the result of a run; if files were named, only their findings."""
        notices: list[str] = []

        @cache
        def notice(message: str) -> None:
            """Print a message once, and keep it for the report."""
            say.warn(message)
            notices.append(message)

        workspace = workspace._replace(notice=notice)
        if not (self._options.is_fixing or self._options.diff):
            findings = self._collect(workspace, job)
            return LintRun(workspace, workspace, *_select_paths(findings, files), 0, prefix, files, notices)
        result = fix_all(workspace, job, unsafe=self._options.unsafe_fixes)
        findings = limit_findings(result.remaining)
        fix_count = len(result.fixed_findings)
        return LintRun(workspace, result.workspace, *_select_paths(findings, files), fix_count, prefix, files, notices)

    def _collect(self, workspace: Workspace, job: LintOptions) -> FindingList:
        """Return the findings; a new baseline needs all of them."""
        if self._options.update_baseline:
            return FindingList(collect_findings(workspace, job), [])
        return collect_listed(workspace, job)

    def _lint_stdin(self, tokens: Tokenizer) -> Exit:
        """Lint stdin; write the fixed text to stdout in the format of the input."""
        data = read_bytes("-", HINT)
        name = _resolve_stdin_name(self._options.stdin_name)
        files = parse_stdin(data, name)
        workspace = assemble_workspace(
            ProjectListing(sorted(files), explicit_paths=sorted(files)), files.get, tokens, self._workspace_options()
        )
        lint_run = self._lint(workspace, self.job)
        if self._options.diff:
            return self._show_diff([lint_run])
        if self._options.is_fixing:
            out.write(_encode_fixed(lint_run, several=list(files) != [name]))
            return self._exit_status([lint_run])
        return self._report([lint_run])

    def _show_diff(self, runs: Sequence[LintRun]) -> Exit:
        lines = [line for run in runs for line in diff_documents(run.before, run.after, run.prefix)]
        out.write(lines)
        return Exit.NO if lines and not self._options.exit_zero else Exit.DONE

    def _report(self, runs: Sequence[LintRun]) -> Exit:
        options = self._options
        if options.update_baseline:
            write_baseline(self.control.baseline, [finding for run in runs for finding in run.list_findings()])
            return Exit.DONE
        for run in runs:
            if not run.before.documents:
                say.inform(f"{run.prefix or '.'}: no agent files; looked for {describe_names()}")
        name = "json" if options.as_json else options.form or "full"
        counter = f"{self.vocabulary.name}{'' if self.vocabulary.exact else ' (estimate)'}"
        form = FindingsFormat(
            name, options.table, options.budget, options.statistics, options.color, counter, options.is_fixing
        )
        write_findings(runs, form, rules(), self.job)
        return self._exit_status(runs)

    def _exit_status(self, runs: Sequence[LintRun]) -> Exit:
        bad = any(
            finding.severity >= self.control.fail_level for run in runs for finding in (*run.findings, *run.omitted)
        )
        return Exit.NO if bad and not self._options.exit_zero else Exit.DONE


def _select_paths(findings: FindingList, files: Sequence[str]) -> FindingList:
    """Return the findings of some files, or of all if none is named."""
    if not files:
        return findings
    return FindingList(*([finding for finding in part if finding.path in files] for part in findings))


def _choose_vocabulary(call: Call) -> Vocabulary:
    """Return the vocabulary that is named, else the estimate, which loads nothing."""
    request, settings = call
    name = request.tokenizer or request.model_name(settings) or settings["tokenizer"]
    return request.vocabulary(settings) if name else find_vocabulary("estimate")


def _read_prompt(path: str | None) -> tuple[str, bytes] | None:
    if not path:
        return None
    try:
        with open(path, "rb") as file:
            return os.path.normpath(path).replace(os.sep, "/"), file.read()
    except OSError as error:
        raise MissingInputError(f"{path}: {error.strerror}") from None


def _encode_fixed(lint_run: LintRun, *, several: bool) -> Iterator[bytes]:
    import orjson

    for document in lint_run.after.documents:
        if several:
            yield orjson.dumps({"path": document.path, "text": document.encode().decode("utf-8", "replace")}) + b"\n"
        else:
            yield document.encode()


def find_targets(paths: Sequence[str]) -> list[Target]:
    """Return the directories to lint, each once; files are linted in the project around them.

    Raise MissingInputError for a path that does not exist.
    """
    directories: dict[str, Target] = {}
    files: list[str] = []
    for path in paths or (".",):
        if os.path.isdir(path):
            root = os.path.normpath(path)
            directories.setdefault(root, Target(root, (), "" if root == "." else f"{root.replace(os.sep, '/')}/"))
        elif os.path.isfile(path):
            files.append(os.path.normpath(path))
        else:
            raise MissingInputError(f"{path}: no such file or directory")
    return [*directories.values(), *_find_file_targets(files)]


def _find_file_targets(files: Sequence[str]) -> list[Target]:
    """Return the projects of files: the current directory if they are below it, else their own directories."""
    by_root: dict[str, list[str]] = {}
    for path in dict.fromkeys(files):
        outside = os.path.isabs(path) or path.startswith("..")
        root = (os.path.dirname(path) or ".") if outside else "."
        by_root.setdefault(root, []).append(os.path.relpath(path, root).replace(os.sep, "/"))
    return [
        Target(root, tuple(names), "" if root == "." else f"{root.replace(os.sep, '/')}/")
        for root, names in by_root.items()
    ]


def _resolve_stdin_name(path: str) -> str:
    """Return the path of a document on stdin relative to the current directory; raise UsageError if it is outside."""
    plain = (os.path.relpath(path) if os.path.isabs(path) else os.path.normpath(path)).replace(os.sep, "/")
    if plain in (".", "..") or plain.startswith("../"):
        raise UsageError(f"--stdin-name {path} is not in the current directory")
    return plain


def parse_stdin(data: bytes, name: str) -> dict[str, bytes]:
    """Return the files on stdin: JSON lines of ``path`` and ``text``, else one document called ``name``.

    Raise MalformedInputError with the line number if some lines are files and another is not, or is outside the
    workspace.
    """
    first = next((line for line in data.split(b"\n", _MOST_BLANK) if line.strip()), b"")
    if _parse_file(first, 1) is None:
        return {name: data}
    files: dict[str, bytes] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            row = _parse_file(line, number)
            if row is None:
                raise MalformedInputError(f"stdin: line {number} is not an object with path and text")
            files[_check_inside(row[0], number)] = row[1].encode("utf-8", "surrogatepass")
    return files


def _check_inside(path: str, number: int) -> str:
    """Return a normalized path of stdin's list; raise MalformedInputError unless it is inside the workspace."""
    plain = os.path.normpath(path).replace(os.sep, "/")
    if plain in ("", ".") or plain.startswith(("/", "../")) or plain == ".." or os.path.isabs(path) or "\0" in path:
        problem = "the path is not relative to the workspace, or leads out of it"
        raise MalformedInputError(f"stdin: line {number}: {problem}", hint='{"path": "AGENTS.md", "text": "..."}')
    return plain


def _parse_file(line: bytes, number: int) -> tuple[str, str] | None:
    """Return the path and the text of a file, or None if the line is not an object with both."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(line)
    except RecursionError:
        raise MalformedInputError(f"stdin: line {number} is nested too deep") from None
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("path"), str) or not isinstance(value.get("text"), str):
        return None
    return value["path"], value["text"]
