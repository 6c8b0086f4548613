"""ctxkit prompt lint."""

import click

from ctxkit.core.errors import Exit
from ctxkit.core.prompt import KINDS, PromptSection, build_prompt, find_volatile_text
from ctxkit.edge import options, out, prompt_files, prompt_options, prompt_view, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import renamed_option
from ctxkit.edge.prompt_options import PromptFiles


@click.command("lint", cls=Verb)
@click.argument("file", required=False, default="", metavar="[FILE]")
@prompt_options.add_section_options
@options.collect_values(PromptFiles, "files")
@renamed_option(
    "--ignore-kind",
    "ignored_kinds",
    multiple=True,
    type=click.Choice(KINDS),
    renamed_from=("--ignore",),
    help="Do not report text of this kind.",
)
@options.json_lines_option
def command(file: str, ignored_kinds: tuple[str, ...], as_json: bool, files: PromptFiles) -> Exit:
    """Find text that breaks the cache: dates, UUIDs and counters in the cached part.

    FILE is a prompt that should be cached as a whole. Other prompts come from sections,
    as in prompt build, and only sections up to the last breakpoint are searched. The
    exit status is 1 if there are findings.

    \b
    $ ctxkit prompt lint README.md
    $ ctxkit prompt lint --base README.md --ignore-kind date
    """
    settings.load()
    sections = [PromptSection("base", prompt_view.read_prompt(file).text)] if file else []
    if not sections or any(files):
        sections += prompt_files.read_sections(files)
    findings = [item for item in find_volatile_text(build_prompt(sections)) if item.kind not in ignored_kinds]
    if as_json:
        out.write(map(prompt_view.encode_finding, findings))
    else:
        names = {"base": file} if file else {}
        out.write_listing("".join(prompt_view.format_finding(finding, names) for finding in findings))
    return Exit.NO if findings else Exit.DONE
