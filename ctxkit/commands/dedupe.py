"""ctxkit dedupe."""

import click

from ctxkit.app.services import engines, workers
from ctxkit.core.errors import Exit
from ctxkit.edge import options, settings, source
from ctxkit.edge.command_group import Verb
from ctxkit.edge.lint.options import DedupeOptions
from ctxkit.edge.option_types import option
from ctxkit.edge.request import Call, CliRequest

FORMS = ("full", "concise", "json", "sarif", "github", "gitlab", "text")
LEVELS = ("info", "warning", "error")


@click.command("dedupe", cls=Verb)
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@option(
    "--select",
    metavar="CODES",
    default="",
    help="Run only these rules: codes or prefixes, as in DUP,REF001; ALL is every rule.",
)
@option("--ignore", metavar="CODES", default="", help="Skip these rules.")
@option("--extend-select", metavar="CODES", default="", help="Also run these rules.")
@option("--fix", is_flag=True, help="Apply the fixes that lose no statement.")
@option("--unsafe-fixes", is_flag=True, help="Also apply fixes that may change meaning.")
@option("--diff", is_flag=True, help="Print the fixes as a patch, and change nothing.")
@option(
    "--output-format", "form", type=click.Choice(FORMS), help="Format of the findings; text is full.  [default: full]"
)
@option("--json", "as_json", is_flag=True, help="Same as --output-format json.")
@option("--table", is_flag=True, help="Show a table of repeated statements and their places.")
@option("--budget", is_flag=True, help="Show the tokens of files and load sets, before and after fixes.")
@option("--statistics", is_flag=True, help="Show the number of findings per rule.")
@option("--baseline", metavar="FILE", default="", help="Report only findings that are not in FILE.")
@option("--update-baseline", is_flag=True, help="Write the findings to the baseline file.")
@option(
    "--fail-level", type=click.Choice(LEVELS), help="Exit with status 1 from this severity on.  [default: warning]"
)
@option("--exit-zero", is_flag=True, help="Exit with status 0 even if there are findings.")
@option("--ignore-suppressions", is_flag=True, help="Also report findings that comments suppress.")
@option("--prompt", metavar="FILE", help="Rendered system prompt, which agents read before the files.")
@options.make_files_from_option("Lint the files listed in FILE; - is stdin.")
@option("--stdin-name", metavar="PATH", default="AGENTS.md", help="Treat the document on stdin as PATH.")
@option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="When to use colours.")
@options.add_count_options
@options.collect_values(DedupeOptions, "dedupe_options")
def command(paths: tuple[str, ...], request: CliRequest, dedupe_options: DedupeOptions) -> Exit:
    """Find duplicated, contradictory and stale instructions in an agent workspace.

    dedupe reads AGENTS.md, CLAUDE.md, MEMORY.md, rules, skills and similar files below PATH.
    It reports statements that repeat in one window and their cost per turn. It also reports
    contradictions, missing paths and scripts, and leftovers of compaction. If PATH is -, stdin
    has a document, or JSON lines with path and text. The exit status is 1 if there are findings.

    \b
    $ ctxkit dedupe explain DUP002
    $ ctxkit dedupe --fix --diff .
    $ ctxkit dedupe --output-format sarif . > ctxkit.sarif
    """
    if paths[:1] == ("explain",):
        from ctxkit.edge.lint.text import explain_rules

        return explain_rules(paths[1:])
    from ctxkit.edge.lint.command import DedupeCommand

    dedupe_command = DedupeCommand(paths, dedupe_options, Call(request, settings.load()))
    piped = "-" in (*paths, dedupe_options.files_from)
    return workers.run_in_worker(
        lambda: dedupe_command.run(engines.load_tokenizer, engines.gather_workspace),
        source.preload("-") if piped else 0,
    )
