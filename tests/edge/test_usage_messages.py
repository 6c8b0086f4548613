import click
import pytest

from ctxkit.edge.usage_messages import explain_usage_error


@click.command("c", params=[
    click.Option(["-w", "--window"], type=int),
    click.Option(["--check"], is_flag=True),
    click.Option(["--host"], type=click.Choice(["codex", "claude-code"])),
    click.Option(["--need"], required=True),
    click.Option(["--old-need"], hidden=True),
    click.Argument(["shell"], metavar="SHELL", type=click.Choice(["bash", "zsh"])),
])  # fmt: skip
def command(**_values: object) -> None:
    """Do it."""


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--ned"], "no such option: --ned; did you mean --need?"),
        (["--old-nead"], "no such option: --old-nead"),
        (["-x"], "no such option: -x"),
        (["--window"], "--window needs a value"),
        (["-w"], "-w needs a value"),
        (["--check=1"], "--check takes no value"),
        (["--window", "x", "--need", "1", "zsh"], "--window: 'x' is not a valid integer"),
        (["--host", "claude", "--need", "1", "zsh"], "--host: 'claude' is not one of codex, claude-code; did you mean claude-code?"),
        (["--need", "1", "it's"], 'SHELL: "it\'s" is not one of bash, zsh'),
        (["zsh"], "missing option: --need"),
        (["--need", "1"], "missing argument: SHELL (one of bash, zsh)"),
        (["--need", "1", "zsh", "b"], "unexpected argument: b"),
        (["--need", "1", "zsh", "b", "c"], "unexpected arguments: b c"),
    ],
)  # fmt: skip
def test_a_message_is_one_lower_case_sentence_without_a_full_stop(args, message: str) -> None:
    with pytest.raises(click.UsageError) as raised:
        command.make_context("c", args)
    assert explain_usage_error(raised.value) == message


def test_a_message_of_a_command_is_kept() -> None:
    assert explain_usage_error(click.UsageError("no such command: x")) == "no such command: x"
    assert explain_usage_error(click.BadParameter("it is wrong")) == "Invalid value: it is wrong"
