"""The options of a turn."""

import click
from click.testing import CliRunner

from ctxkit.edge.options import collect_values
from ctxkit.edge.prompt_options import PromptFiles, TurnOptions, add_section_options, add_turn_section_options


def run(add_options, *words: str) -> str:
    @click.command()
    @add_options
    @collect_values(PromptFiles, "files")
    def command(files: PromptFiles) -> None:
        click.echo(f"{files.named_files} {files.manifest}")

    return CliRunner().invoke(command, words).output


def test_files_are_named_in_the_order_of_the_sections() -> None:
    words = ("--status-file", "s", "--base", "b", "--base", "c", "--sections", "m")
    assert run(add_section_options, *words) == "[('base', 'b'), ('base', 'c'), ('status', 's')] m\n"


def test_a_turn_has_a_system_prompt_and_no_manifest() -> None:
    assert run(add_turn_section_options, "--system", "a") == "[('base', 'a')] None\n"
    assert "No such option" in run(add_turn_section_options, "--sections", "m")


def test_the_files_of_sections_and_tools_are_named() -> None:
    assert TurnOptions().file_names == []
    assert TurnOptions(PromptFiles(base=("s",), scratchpad=("p",)), tools=("t",)).file_names == ["s", "p", "t"]
