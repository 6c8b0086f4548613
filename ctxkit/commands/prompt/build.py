"""ctxkit prompt build."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from ctxkit.app.services import engines, sessions, workers
from ctxkit.core.errors import Exit
from ctxkit.edge import options, out, prompt_files, prompt_options, prompt_view, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option, renamed_option
from ctxkit.edge.prompt_options import PromptFiles
from ctxkit.edge.request import Call, CliRequest

if TYPE_CHECKING:
    from ctxkit.core.prompt import PromptSection


class PromptForm(NamedTuple):
    """The form of a built prompt, where its sections go that change every turn, and the prompt before it."""

    target: prompt_view.Target
    turn_sections: str
    previous: str | None


@click.command("build", cls=Verb)
@prompt_options.add_section_options
@options.collect_values(PromptFiles, "files")
@option(
    "--to",
    "target",
    type=click.Choice(prompt_view.TARGETS),
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
def command(files: PromptFiles, form: PromptForm, request: CliRequest, as_json: bool) -> Exit:
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
    sections = prompt_files.read_sections(files)
    request, _ = sessions.open_session(request, config, create_missing=False, unknown_window="assume")
    old_prompt = prompt_view.read_prompt(form.previous).text if form.previous else None
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

    def _make_view(self) -> prompt_view.PromptView:
        from ctxkit.core.prompt import build_prompt, gate_sections

        request, config = self.call
        policy = request.gate_policy(config, "prompt")
        services = engines.gate_services(config, store=not request.no_store)
        gated = list(gate_sections(self.sections, policy, services))
        for section, result, _ in gated:
            prompt_view.warn_of_section(section, result)
        model = request.known_model(config)
        return prompt_view.PromptView(
            build_prompt((item.section for item in gated), self.old_prompt),
            gated,
            self.form.target,
            policy.vocabulary,
            services.tokenizer(policy.vocabulary),
            model.name if model else request.model_name(config),
            self.form.turn_sections == "messages",
        )
