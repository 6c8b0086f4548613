"""ctxkit prompt build."""

from typing import Any

import click

from ctxkit import session_wiring, wiring, workers
from ctxkit.core.exit import Exit
from ctxkit.edge import options, out, prompt_files, prompt_view, say, settings
from ctxkit.edge.prompt_files import PromptFiles
from ctxkit.edge.request import CliRequest


@click.command("build")
@prompt_files.add_section_options
@click.option(
    "--to",
    "target",
    type=click.Choice(prompt_view.TARGETS),
    default="text",
    show_default=True,
    help="Form of the output.",
)
@click.option(
    "--tail",
    type=click.Choice(["messages", "system"]),
    default="messages",
    show_default=True,
    help="Where sections that change every turn go in a request.",
)
@click.option("--previous", metavar="FILE", help="Cache skills and CONTEXT.md too if they are as in this prompt.")
@options.add_prompt_options
@options.json_option
def command(
    target: prompt_view.Target, tail: str, previous: str | None, request: CliRequest, as_json: bool, **files: Any
) -> Exit:
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
    sections = PromptFiles(**files).read_sections()
    request, _ = session_wiring.open_session(request, config, create_missing=False, unknown_window="assume")
    old_prompt = prompt_view.read_prompt(previous).text if previous else None

    def run_build() -> Exit:
        from ctxkit.core.prompt.builder import build_prompt
        from ctxkit.core.prompt.gated_sections import gate_sections

        policy = request.gate_policy(config, "prompt")
        services = wiring.gate_services(config, store=not request.no_store)
        gated = list(gate_sections(sections, policy, services))
        for section, result, _ in gated:
            prompt_view.warn_of_section(section, result)
        prompt = build_prompt((item.section for item in gated), old_prompt)
        model = request.known_model(config)
        view = prompt_view.PromptView(
            prompt, gated, target, policy.vocabulary, services.tokenizer(policy.vocabulary),
            model.name if model else request.model_name(config), tail == "messages",
        )  # fmt: skip
        if as_json:
            out.write_json(view.make_facts())
        elif target == "text":
            out.write_text(prompt.text)
        else:
            out.write_json(view.make_request())
        say.note(view.describe())
        for ref in {item.result.ref for item in gated}:
            wiring.tidy_store(config, ref)
        return Exit.DONE

    return workers.run_in_worker(run_build, sum(len(section.content) for section in sections))
