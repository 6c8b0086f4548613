"""ctxkit prompt and its verbs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ctxkit.app.services import engines, sessions, workers
from ctxkit.core.errors import Exit
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.prompt import KINDS, PromptSection, build_prompt, find_volatile_text
from ctxkit.edge import options, out, prompts, say, settings
from ctxkit.edge.command_group import CommandGroup, Verb
from ctxkit.edge.option_types import FACTOR, option, renamed_option
from ctxkit.edge.prompts import PromptFiles
from ctxkit.edge.request import Call, CliRequest
from ctxkit.registry import PROMPT

if TYPE_CHECKING:
    from ctxkit.core.compact.policy import CachePrices

command = CommandGroup(
    PROMPT,
    name="prompt",
    help="""Build a system prompt that stays in the provider's prompt cache.

\b
$ ctxkit prompt build --base README.md --window 32768
$ ctxkit prompt lint README.md
""",
)


class PromptForm(NamedTuple):
    """The form of a built prompt, where its sections go that change every turn, and the prompt before it."""

    target: prompts.Target
    turn_sections: str
    previous: str | None


@command.command("build", cls=Verb)
@prompts.add_section_options
@options.collect_values(PromptFiles, "files")
@option(
    "--to",
    "target",
    type=click.Choice(prompts.TARGETS),
    default="text",
    show_default=True,
    help="Form of the output.",
)
@renamed_option(
    "--turn-sections",
    type=click.Choice(["messages", "system"]),
    default="messages",
    show_default=True,
    renamed_from=("--tail",),
    help="Where sections that change every turn go in a request.",
)
@option("--previous", metavar="FILE", help="Cache skills and CONTEXT.md too if they are as in this prompt.")
@options.add_prompt_options
@options.json_option
@options.collect_values(PromptForm, "form")
def write_prompt(files: PromptFiles, form: PromptForm, request: CliRequest, as_json: bool) -> Exit:
    """Build a system prompt from sections, with its cache breakpoints.

    The sections come from files, from a manifest, or from stdin as JSON lines with name,
    content and cacheable. They are ordered from static to dynamic, so that a provider can
    cache the prompt up to the last section that does not change. A section that is too
    large for the window is replaced by a map, as ctxkit gate does.

    \b
    $ ctxkit prompt build --base README.md --window 32768
    $ ctxkit prompt build --base README.md --to anthropic --model claude-sonnet-4-5
    """
    config = settings.load()
    sections = prompts.read_sections(files)
    request, _ = sessions.open_session(request, config, create_missing=False, unknown_window="assume")
    old_prompt = prompts.read_prompt(form.previous).text if form.previous else None
    build = PromptBuild(Call(request, config), sections, old_prompt, form)
    return workers.run_in_worker(lambda: build.run(as_json=as_json), sum(len(section.content) for section in sections))


class PromptBuild(NamedTuple):
    """The sections of a prompt, and how it is built and printed."""

    call: Call
    sections: Sequence["PromptSection"]
    old_prompt: str | None
    form: PromptForm

    def run(self, *, as_json: bool) -> Exit:
        """Build the prompt and print it."""
        view = self._make_view()
        if as_json:
            out.write_json(view.make_facts())
        elif self.form.target == "text":
            out.write_text(view.prompt.text)
        else:
            out.write_json(view.make_request())
        say.note(view.describe())
        for ref in {item.result.ref for item in view.gated}:
            engines.tidy_store(self.call.settings, ref)
        return Exit.DONE

    def _make_view(self) -> prompts.PromptView:
        from ctxkit.core.prompt import build_prompt, gate_sections

        request, config = self.call
        policy = request.gate_policy(config, "prompt")
        services = engines.gate_services(config, store=not request.no_store)
        gated = list(gate_sections(self.sections, policy, services))
        for section, result, _ in gated:
            prompts.warn_of_section(section, result)
        model = request.known_model(config)
        return prompts.PromptView(
            build_prompt((item.section for item in gated), self.old_prompt),
            gated,
            self.form.target,
            policy.vocabulary,
            services.tokenizer(policy.vocabulary),
            model.name if model else request.model_name(config),
            self.form.turn_sections == "messages",
        )


class PriceFactors(NamedTuple):
    """What a cache write and a cache read cost, relative to input."""

    cache_write: float | None
    cache_read: float | None


@command.command("diff", cls=Verb)
@click.argument("old")
@click.argument("new")
@option(
    "--cache-write", type=FACTOR, metavar="X", help="Price of a cache write, relative to input."
)
@option(
    "--cache-read", type=FACTOR, metavar="X", help="Price of a cache read, relative to input."
)
@options.add_count_options
@options.json_option
@options.collect_values(PriceFactors, "prices")
def compare_prompts(old: str, new: str, prices: PriceFactors, request: CliRequest, as_json: bool) -> Exit:
    """Show where a new prompt leaves the cached prefix, and what that costs.

    OLD and NEW are texts, or what prompt build --json printed; then only a prefix up to a
    breakpoint is cached. The exit status is 1 if the prompts differ.

    \b
    $ ctxkit prompt diff old-prompt.md new-prompt.md
    $ ctxkit prompt diff old-prompt.md new-prompt.md --model claude-sonnet-4-5 --json
    """
    from ctxkit.core.prompt import find_cache_minimum, find_difference
    from ctxkit.core.tokens.token_count import upper_bound_tokenizer

    config = settings.load()
    old_prompt, new_prompt = prompts.read_prompt(old), prompts.read_prompt(new)
    count_options = engines.make_count_options(request, config)
    known = request.known_model(config)
    model = known.name if known else request.model_name(config)
    difference = find_difference(
        old_prompt.text,
        new_prompt.text,
        upper_bound_tokenizer(count_options.count, count_options.vocabulary),
        breakpoints=old_prompt.breakpoints,
        minimum=find_cache_minimum(model, prompts.find_provider(model)),
    )
    rates = _make_prices(*prices)
    facts = prompts.make_difference(difference, old_prompt, new_prompt, rates, count_options.vocabulary)
    if as_json:
        out.write_json(facts)
    else:
        out.write_listing(prompts.format_difference(facts))
    return Exit.DONE if facts["same"] else Exit.NO


def _make_prices(write: float | None, read: float | None) -> "CachePrices":
    """Return the prices of the options, with defaults for those that are not given."""
    from ctxkit.core.compact.policy import CachePrices

    default = CachePrices()
    return CachePrices(default.write if write is None else write, default.read if read is None else read)


@command.command("lint", cls=Verb)
@click.argument("file", required=False, default="", metavar="[FILE]")
@prompts.add_section_options
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
def lint_prompt(file: str, ignored_kinds: tuple[str, ...], as_json: bool, files: PromptFiles) -> Exit:
    """Find text that breaks the cache: dates, UUIDs and counters in the cached part.

    FILE is a prompt that should be cached as a whole. Other prompts come from sections,
    as in prompt build, and only sections up to the last breakpoint are searched. The
    exit status is 1 if there are findings.

    \b
    $ ctxkit prompt lint README.md
    $ ctxkit prompt lint --base README.md --ignore-kind date
    """
    settings.load()
    sections = [PromptSection("base", prompts.read_prompt(file).text)] if file else []
    if not sections or any(files):
        sections += prompts.read_sections(files)
    findings = [item for item in find_volatile_text(build_prompt(sections)) if item.kind not in ignored_kinds]
    if as_json:
        out.write(map(prompts.encode_finding, findings))
    else:
        names = {"base": file} if file else {}
        out.write_listing("".join(prompts.format_finding(finding, names) for finding in findings))
    return Exit.NO if findings else Exit.DONE
