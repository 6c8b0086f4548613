"""Writing what a run of the linter came to, in the form that was asked for."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ctxkit.core.lint.costs import Cost, Costs, costs
from ctxkit.core.lint.document import Document
from ctxkit.core.lint.finding import Finding, Fix
from ctxkit.core.lint.linting import Job, fixed
from ctxkit.core.lint.rule import Rule
from ctxkit.core.lint.rules.secrets import masked
from ctxkit.core.lint.workspace import Workspace
from ctxkit.edge import out, say


class Ran(NamedTuple):
    """Hold one run: the workspace before and after mending, what is left, how much was mended.

    ``prefix`` leads from the current directory to the workspace.
    """

    before: Workspace
    after: Workspace
    left: tuple[Finding, ...]
    done: int = 0
    prefix: str = ""

    def placed(self) -> Iterator[Finding]:
        """Yield the findings with paths from the current directory, and without secrets."""
        for one in self.left:
            related = tuple(place._replace(path=self.prefix + place.path) for place in one.related)
            shown = one._replace(message=masked(one.message), concept=masked(one.concept), essence="")
            yield shown._replace(path=self.prefix + one.path, related=related, fix=self._fix(one.fix))

    def _fix(self, fix: Fix | None) -> Fix | None:
        if fix is None:
            return None
        edits = tuple(
            edit._replace(path=self.prefix + edit.path, replacement=masked(edit.replacement)) for edit in fix.edits
        )
        return fix._replace(edits=edits, description=masked(fix.description))

    def documents(self) -> Mapping[str, Document]:
        """Return the documents as they are now, by their paths from the current directory."""
        every = [*self.after.documents, *([self.after.prompt] if self.after.prompt else [])]
        return {self.prefix + one.path: one for one in every}

    def costs(self, job: Job) -> Costs:
        """Return what files and load sets cost, as they were and once everything is mended."""
        found = costs(self.before, fixed(self.after, job, unsafe=True).workspace)
        files = tuple(one._replace(name=self.prefix + one.name) for one in found.files)
        return Costs(files, found.sets)


class Form(NamedTuple):
    """Say in which form findings are wanted."""

    name: str = "text"
    table: bool = False
    budget: bool = False
    statistics: bool = False
    color: str = "auto"
    counter: str = ""


def deliver(ran: Sequence[Ran], form: Form, rules: Mapping[str, Rule], job: Job) -> None:
    """Write findings, or the tables that were asked for instead."""
    findings = [one for run in ran for one in run.placed()]
    if form.budget:
        _budget([run.costs(job) for run in ran], form)
    elif form.name == "json":
        from ctxkit.edge.lint.records import records

        _json(_statistics(findings, rules) if form.statistics else records(findings, rules))
    elif form.name == "sarif":
        from ctxkit.edge.lint.sarif import log

        _json(log(findings, rules))
    else:
        _lines(ran, findings, form, rules)


def _json(value: Any) -> None:
    import orjson

    out.write((orjson.dumps(value, option=orjson.OPT_INDENT_2), b"\n"))


def _statistics(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> list[dict[str, Any]]:
    codes = sorted({one.code for one in findings})
    mine = {code: [one for one in findings if one.code == code] for code in codes}
    return [
        {"code": code, "name": rules[code].name, "count": len(those), "tokens": sum(one.tokens for one in those)}
        for code, those in mine.items()
    ]


def _budget(found: Sequence[Costs], form: Form) -> None:
    whole = Costs(tuple(one for each in found for one in each.files), tuple(one for each in found for one in each.sets))
    if form.name == "json":
        _json({"counter": form.counter, "files": list(map(_cost, whole.files)), "sets": list(map(_cost, whole.sets))})
        return
    from ctxkit.edge.lint.tables import budget

    _write(budget(whole, labelled=form.counter))


def _cost(cost: Cost) -> dict[str, Any]:
    return {**cost._asdict(), "saved": cost.saved}


def _lines(ran: Sequence[Ran], findings: Sequence[Finding], form: Form, rules: Mapping[str, Rule]) -> None:
    from ctxkit.edge.lint import lines

    if form.name == "github":
        from ctxkit.edge.lint.github import annotations

        _write(annotations(findings, rules))
    elif form.table:
        from ctxkit.edge.lint.tables import duplication

        _write(duplication(findings))
    elif form.statistics:
        _write(lines.statistics(findings, rules))
    else:
        documents = {path: one for run in ran for path, one in run.documents().items()}
        _write(lines.report(documents, findings, lines.Painter(colored=colored(form.color))))
    files = sum(len(run.before.documents) for run in ran)
    say.tell(lines.closing(findings, sum(run.done for run in ran), files))


def colored(choice: str) -> bool:
    """Tell whether colours are wanted: on a terminal, unless NO_COLOR is set, when nothing is said."""
    if choice != "auto":
        return choice == "always"
    return not os.environ.get("NO_COLOR") and sys.stdout is not None and sys.stdout.isatty()


def _write(lines: Iterator[str]) -> None:
    out.write(f"{line}\n".encode("utf-8", "replace") for line in lines)
