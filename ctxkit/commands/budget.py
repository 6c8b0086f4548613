"""ctxkit budget."""

from typing import TYPE_CHECKING

import click

from ctxkit.app import budget
from ctxkit.app.services import workers
from ctxkit.core.budget.context_budget import NOTE_KINDS, NoteKind
from ctxkit.core.errors import Exit
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.edge import options, out, settings, source
from ctxkit.edge.command_group import Verb
from ctxkit.edge.format_option import make_format_option
from ctxkit.edge.option_types import option
from ctxkit.edge.request import Call, CliRequest

if TYPE_CHECKING:
    from ctxkit.core.budget.measure import ContextReport


class ComponentOptions(NamedTuple):
    """The files of the components of a context, and the format of the conversation."""

    system: tuple[str, ...]
    skills: tuple[str, ...]
    tools: tuple[str, ...]
    messages: str | None
    format_name: str | None


class BudgetReport(NamedTuple):
    """What is printed of a context: a note for a model, a drawing, only a status, or JSON."""

    note: NoteKind | None
    plot: str | None
    check: bool
    as_json: bool


@click.command("budget", cls=Verb)
@options.file_argument
@option("--system", "system", multiple=True, metavar="F", help="Count F as part of the system prompt.")
@option("--skills", "skills", multiple=True, metavar="F", help="Count F as the prompt of a skill.")
@option("--tools", "tools", multiple=True, metavar="F", help="Count F as JSON definitions of tools.")
@option("--messages", metavar="F", help="Count F as the conversation or as a request, like FILE.")
@make_format_option("Format of the conversation.")
@option("--note", type=click.Choice(NOTE_KINDS), help="Print the note that tells a model how full it is.")
@option("--plot", metavar="FILE", help="Draw the tokens over the turns to FILE, as .svg or .html.")
@option("--check", is_flag=True, help="Print nothing; exit with 1 if the context is blocked, and 0 if not.")
@options.add_window_options
@options.json_option
@options.collect_values(BudgetReport, "budget_report")
@options.collect_values(ComponentOptions, "parts")
def command(file: str, parts: ComponentOptions, budget_report: BudgetReport, request: CliRequest) -> Exit:
    """Show what fills a context window, by component.

    The components are system prompt, skills, tool descriptions and conversation. They
    come from files, from the history of a session, or from the body of a request of any
    provider, which is FILE or stdin. From 95 % of the effective window on, the
    conversation should be compacted. From 98 % on, the context is blocked.

    \b
    $ ctxkit budget chat.jsonl --model claude-sonnet-4-5
    $ ctxkit budget --system README.md --messages chat.jsonl --window 32768
    $ ctxkit budget --window 200000 --used 132800 --note short
    """
    call = Call(request, settings.load())
    note, plot, check, as_json = budget_report
    system, skills, tools, messages, format_name = parts
    files = budget.ComponentFiles(system, skills, tools, messages or "", format_name)
    files = files.with_request(file, is_needed=not request.used and not request.session_name(call.settings))

    def run_budget() -> Exit:
        """Measure the context and print the report."""
        if plot:
            return _draw_timeline(plot, files, call)
        report = budget.measure_context(files, call, must_know=check)
        if check:
            return Exit.NO if report.budget.is_blocked() else Exit.DONE
        _print_report(report, note, as_json=as_json)
        return Exit.DONE

    return workers.run_in_worker(run_budget, sum(map(source.preload, files.names())))


def _print_report(report: "ContextReport", note: NoteKind | None, *, as_json: bool) -> None:
    """Print a report as JSON, as a note to a model, or as a table."""
    if as_json:
        out.write_json(budget.make_facts(report, note))
    elif note:
        out.write_text(budget.make_note(report, note))
    else:
        out.write_listing(budget.format_report(report))


def _draw_timeline(path: str, files: budget.ComponentFiles, call: Call) -> Exit:
    """Draw the usage over the turns to a file, and print nothing."""
    from ctxkit.app import budget
    from ctxkit.edge import atomic_file

    render = atomic_file.find_chart_renderer(path)
    atomic_file.write_chart(path, render(budget.make_chart(files, call)))
    return Exit.DONE
