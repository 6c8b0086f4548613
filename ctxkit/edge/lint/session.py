"""One call of ``dedupe``: what it was asked, what it reads, mends, writes and answers."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from ctxkit.core.exit import Exit
from ctxkit.core.lint import baseline
from ctxkit.core.lint.assemble import Listing, Wanted, assemble
from ctxkit.core.lint.control import Control
from ctxkit.core.lint.linting import Job, fixed, found
from ctxkit.core.lint.registry import rules
from ctxkit.core.lint.workspace import Workspace
from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.trouble import MissingInput, Misuse
from ctxkit.core.vocabulary import Vocabulary, vocabulary_of
from ctxkit.edge import out, say, source
from ctxkit.edge.lint.choices import Choices
from ctxkit.edge.lint.deliver import Form, Ran, deliver
from ctxkit.edge.lint.sources import Target, held, listed, stdin_name, targets
from ctxkit.edge.lint.writing import diff, outside, write
from ctxkit.edge.request import Request
from ctxkit.edge.settings import Settings

Gather = Callable[[str, Tokenizer, Wanted, tuple[str, ...]], Workspace]
"""Return the workspace in a directory, the files in it that are asked for among it."""


class Linting:
    """Carry one call from its options to its answer."""

    def __init__(self, paths: Sequence[str], given: Mapping[str, Any], asked: Request, settings: Settings) -> None:
        self._paths = list(paths)
        self._given = given
        choices = Choices(**{name: given[name] or Choices._field_defaults[name] for name in Choices._fields})
        self.control: Control = choices.control(settings["lint"])
        self.job: Job = choices.job(self.control, updating=given["update_baseline"])
        self.vocabulary: Vocabulary = _vocabulary(asked, settings)
        if given["update_baseline"] and not self.control.baseline:
            raise Misuse("--update-baseline: there is no baseline", hint="--baseline FILE names it")

    def run(self, counter: Callable[[Vocabulary], Tokenizer], gather: Gather) -> Exit:
        """Read, mend, write and answer."""
        tokens = counter(self.vocabulary)
        if self._paths == ["-"]:
            return self._piped(tokens)
        named = self._targets()
        ran = [self._one(target, tokens, gather) for target in named]
        if self._given["diff"]:
            return self._shown(ran)
        left = self._written(named, ran) if self._mends else 0
        status = self._answered(ran)
        return Exit.LOCKED if left else status

    def _written(self, named: Sequence[Target], ran: Sequence[Ran]) -> int:
        """Write what was mended; return how many files changed meanwhile."""
        return sum(write(target.root, run.before, run.after) for target, run in zip(named, ran, strict=True))

    @property
    def _mends(self) -> bool:
        return bool(self._given["fix"] or self._given["unsafe_fixes"])

    def _targets(self) -> list[Target]:
        """Return what is to be linted; a list of files on stdin is read once."""
        if self._given["files_from"]:
            data = b"".join(source.chunks(self._given["files_from"]))
            self._paths += listed(data)
            self._given = {**self._given, "files_from": None}
            if not self._paths:
                return []
        return targets(self._paths)

    def _wanted(self) -> Wanted:
        return Wanted(_prompt(self._given["prompt"]), self.control.load_sets, self.control.limits)

    def _one(self, target: Target, tokens: Tokenizer, gather: Gather) -> Ran:
        workspace = gather(target.root, tokens, self._wanted(), target.asked)
        job = self.job
        if self._mends or self._given["diff"]:
            left = outside(target.root, [document.path for document in workspace.documents])
            for path, reason in left.items():
                say.warn(f"{target.prefix}{path} {reason}, and is not fixed")
            job = job._replace(readonly=frozenset(left))
        return self._linted(workspace, job, target.prefix, target.asked)

    def _linted(self, workspace: Workspace, job: Job, prefix: str = "", asked: Sequence[str] = ()) -> Ran:
        """Return what a run comes to; of files that were asked for, only what is found in them."""
        workspace = workspace._replace(notice=cache(say.warn))
        if not (self._mends or self._given["diff"]):
            left = found(workspace, job)
            return Ran(workspace, workspace, tuple(one for one in left if not asked or one.path in asked), 0, prefix)
        result = fixed(workspace, job, unsafe=self._given["unsafe_fixes"])
        left = [one for one in result.left if not asked or one.path in asked]
        return Ran(workspace, result.workspace, tuple(left), len(result.done), prefix)

    def _piped(self, tokens: Tokenizer) -> Exit:
        """Lint what comes on stdin; what is mended goes to stdout, in the form in which it came."""
        data = b"".join(source.chunks("-"))
        name = stdin_name(self._given["stdin_name"])
        files = held(data, name)
        workspace = assemble(Listing(sorted(files), asked=sorted(files)), files.get, tokens, self._wanted())
        ran = self._linted(workspace, self.job)
        if self._given["diff"]:
            return self._shown([ran])
        if self._mends:
            out.write(_mended(ran, several=list(files) != [name]))
            return self._status([ran])
        return self._answered([ran])

    def _shown(self, ran: Sequence[Ran]) -> Exit:
        lines = [line for run in ran for line in diff(run.before, run.after, run.prefix)]
        out.write(lines)
        return Exit.NO if lines and not self._given["exit_zero"] else Exit.DONE

    def _answered(self, ran: Sequence[Ran]) -> Exit:
        given = self._given
        if given["update_baseline"]:
            _keep(self.control.baseline, [one for run in ran for one in run.placed()])
            return Exit.DONE
        name = "json" if given["as_json"] else given["form"] or "text"
        counter = f"{self.vocabulary.name}{'' if self.vocabulary.exact else ' (estimate)'}"
        form = Form(name, given["table"], given["budget"], given["statistics"], given["color"], counter)
        deliver(ran, form, rules(), self.job)
        return self._status(ran)

    def _status(self, ran: Sequence[Ran]) -> Exit:
        bad = any(one.severity >= self.control.fail_level for run in ran for one in run.left)
        return Exit.NO if bad and not self._given["exit_zero"] else Exit.DONE


def _vocabulary(asked: Request, settings: Settings) -> Vocabulary:
    """Return what counts: what is named, else the estimate, which loads nothing."""
    named = asked.tokenizer or asked.model_name(settings) or settings["tokenizer"]
    return asked.vocabulary(settings) if named else vocabulary_of("estimate")


def _prompt(path: str | None) -> tuple[str, bytes] | None:
    if not path:
        return None
    try:
        with open(path, "rb") as file:
            return os.path.normpath(path).replace(os.sep, "/"), file.read()
    except OSError as error:
        raise MissingInput(f"{path}: {error.strerror}") from None


def _mended(ran: Ran, *, several: bool) -> Iterator[bytes]:
    import orjson

    for document in ran.after.documents:
        if several:
            yield orjson.dumps({"path": document.path, "text": document.encoded().decode("utf-8", "replace")}) + b"\n"
        else:
            yield document.encoded()


def _keep(path: str, findings: Sequence[Any]) -> None:
    """Write a baseline: a file in the current directory, or one that is named by a path outside it."""
    import orjson

    from ctxkit.core.trouble import IOFailed
    from ctxkit.edge.lint.rooted import OutsideRoot, collect_beside, located, replace

    elsewhere = os.path.isabs(path) or os.path.normpath(path).startswith("..")
    root, name = (os.path.dirname(path), os.path.basename(path)) if elsewhere else (".", path.replace(os.sep, "/"))
    try:
        with located(root, name) as place:
            collect_beside(place)
            replace(place, orjson.dumps(baseline.written(findings), option=orjson.OPT_INDENT_2) + b"\n")
    except OutsideRoot as reason:
        raise IOFailed(f"{path}: {reason}") from None
    except OSError as error:
        raise IOFailed(f"{path}: {error.strerror}") from None
