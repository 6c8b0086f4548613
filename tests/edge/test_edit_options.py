import click
from click.testing import CliRunner

from ctxkit.core.text.spans import PositionRange
from ctxkit.edge.edit_options import add_range_options
from ctxkit.edge.editing import EditRequest


def test_a_command_gets_the_values_of_its_options_as_one_request():
    requests = []

    @click.command()
    @click.option("--summary", "text")
    @add_range_options
    def command(edit_request, request):
        requests.append((edit_request, request.session))

    arguments = ["2:7", "a.json", "--expand", "--in-place", "--skip-bad", "--json", "--session", "m", "--summary", "s"]
    assert CliRunner().invoke(command, arguments).exit_code == 0
    assert CliRunner().invoke(command, ["3"]).exit_code == 0
    assert requests == [
        (EditRequest(PositionRange(2, 7), "a.json", "s", True, True, None, True, True), "m"),
        (EditRequest(PositionRange(3, 3), "-"), None),
    ]
