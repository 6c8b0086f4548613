"""ctxkit dedupe."""

import click

from ctxkit import wiring, workers
from ctxkit.core.exit import Exit
from ctxkit.edge import options, settings, source
from ctxkit.edge.lint.options import DedupeOptions
from ctxkit.edge.request import CliRequest

FORMS = ("text", "json", "sarif", "github")
LEVELS = ("info", "warning", "error")


@click.command("dedupe")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option("--select", metavar="CODES", default="", help="Rules to run: codes or beginnings, as DUP,REF001.")
@click.option("--ignore", metavar="CODES", default="", help="Rules to leave out.")
@click.option("--extend-select", metavar="CODES", default="", help="Rules to run besides those of the settings.")
@click.option("--fix", is_flag=True, help="Make the fixes that lose nothing.")
@click.option("--unsafe-fixes", is_flag=True, help="Make all fixes, those that want a second look too.")
@click.option("--diff", is_flag=True, help="Show what the fixes would change, and change nothing.")
@click.option("--output-format", "form", type=click.Choice(FORMS), help="Form of the findings.  [default: text]")
@click.option("--json", "as_json", is_flag=True, help="The same as --output-format json.")
@click.option("--table", is_flag=True, help="Show a table of what is said more than once, and where.")
@click.option("--budget", is_flag=True, help="Show what files and load sets cost, before and after mending.")
@click.option("--statistics", is_flag=True, help="Show how often each rule found something.")
@click.option("--baseline", metavar="FILE", default="", help="Tell only of findings that are not in FILE.")
@click.option("--update-baseline", is_flag=True, help="Write the findings to the baseline.")
@click.option("--fail-level", type=click.Choice(LEVELS), help="Least severity for status 1.  [default: warning]")
@click.option("--exit-zero", is_flag=True, help="End with status 0 whatever is found.")
@click.option("--ignore-suppressions", is_flag=True, help="Tell also of what comments in the files suppress.")
@click.option("--prompt", metavar="FILE", help="System prompt as it is rendered, which agents read before the files.")
@options.make_files_from_option("FILE", "Lint the files that FILE lists, one a line; - is stdin.")
@click.option("--stdin-name", metavar="PATH", default="AGENTS.md", help="Path that a document on stdin is taken for.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colours on a terminal.")
@options.add_count_options
@options.collect_values(DedupeOptions, "dedupe_options")
def command(paths: tuple[str, ...], request: CliRequest, dedupe_options: DedupeOptions) -> Exit:
    """Find what an agent's workspace says twice, wrongly or no more.

    Reads AGENTS.md, CLAUDE.md, MEMORY.md, rules, skills and the like below PATH, and tells what
    is repeated in one window and what that costs on every turn, what contradicts itself, which
    paths and scripts are gone, and what compaction left behind. PATH - is a document on stdin,
    or JSON lines with path and text. The status is 1 when something is found.

    \b
    $ ctxkit dedupe explain DUP002
    $ ctxkit dedupe --fix --diff .
    $ ctxkit dedupe --output-format sarif . > ctxkit.sarif
    """
    if paths[:1] == ("explain",):
        from ctxkit.edge.lint.rule_page import explain_rules

        return explain_rules(paths[1:])
    from ctxkit.edge.lint.command import DedupeCommand

    config = settings.load()
    dedupe_command = DedupeCommand(paths, dedupe_options, request, config)
    piped = "-" in (*paths, dedupe_options.files_from)
    return workers.run_in_worker(
        lambda: dedupe_command.run(wiring.load_tokenizer, wiring.gather_workspace), source.preload("-") if piped else 0
    )
