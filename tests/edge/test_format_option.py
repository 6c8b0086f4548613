"""The option for formats takes the names of formats only."""

import click
import pytest
from click.testing import CliRunner

from ctxkit.core.chat.reading.format_names import FORMAT_NAMES
from ctxkit.edge.format_option import format_option


@click.command()
@format_option
def print_format(format_name: str | None) -> None:
    click.echo(format_name)


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_every_format_has_its_name(name: str) -> None:
    assert CliRunner().invoke(print_format, ["--format", name]).output == f"{name}\n"


def test_other_names_are_refused() -> None:
    assert CliRunner().invoke(print_format, ["--format", "xml"]).exit_code == 2
