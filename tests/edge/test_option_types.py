import click
import pytest
from click.testing import CliRunner

from ctxkit.edge.option_types import DURATION, SIZE, SPAN, make_number_type, option


@click.command()
@click.option("--lines", type=SPAN)
@click.option("--age", type=DURATION)
@click.option("--size", type=SIZE, default=7)
def command(lines, age, size):
    click.echo(f"{lines and tuple(lines)} {age} {size}")


def said(*args):
    done = CliRunner().invoke(command, args)
    return done.exit_code, done.output


def test_text_is_read_and_a_default_is_left_as_it_is() -> None:
    assert said("--lines", "3:5", "--age", "2h") == (0, "(3, 5) 7200.0 7\n")
    assert said("--lines", "-20:", "--size", "2KB") == (0, "(-20, None) None 2048\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--lines", "5:3"), "Invalid value for '--lines': '5:3' ends before it starts"),
        (("--lines", "0"), "Invalid value for '--lines': '0': lines are counted from 1"),
        (("--age", "2y"), "Invalid value for '--age': '2y' is not a duration such as 500ms, 90s, 30m, 24h, 7d or 2w"),
        (("--size", "many"), "Invalid value for '--size': 'many' is not a size such as 500KB, 200MB or 2GB"),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_core(args, message: str) -> None:
    status, output = said(*args)
    assert status == 2
    assert message in output


def test_help_names_the_form() -> None:
    assert "--lines A:B" in said("--help")[1]
    assert "--age DURATION" in said("--help")[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "'x' is not a whole number"),
        ("1.5", "'1.5' is not a whole number"),
        ("", "'' is not a whole number"),
        ("-1", "'-1' is less than 0"),
        ("10001", "'10001' is more than 10,000"),
        ("1M", "'1M' is more than 10,000"),
        ("9" * 5000, "is not a whole number"),
    ],
)
def test_a_number_has_a_range_that_help_does_not_print(text: str, message: str) -> None:
    option = click.Option(["--n"], type=make_number_type(0, 10_000), help="Some.")
    with pytest.raises(click.BadParameter) as error:
        option.type.convert(text, option, None)
    assert message in error.value.message
    assert option.type.convert("10000", option, None) == option.type.convert("10k", option, None) == 10_000
    assert "<" not in CliRunner().invoke(click.Command("c", params=[option]), ["--help"]).output


@click.command()
@option("--flag", is_flag=True)
@option("--text", callback=lambda _ctx, _param, value: f"<{value}>")
@option("--level", type=int, default=3, help="How much.\n\n    As it is.")
@option("--part", "parts", multiple=True)
@option("--times", count=True)
@option("--place", envvar="CTXKIT_TEST_PLACE")
@option("--sort", flag_value="name")
def command_of_many(**values):
    click.echo(repr(values))


def test_an_absent_option_takes_what_click_gives_it(monkeypatch) -> None:
    monkeypatch.setenv("CTXKIT_TEST_PLACE", "here")
    done = CliRunner().invoke(command_of_many, [], standalone_mode=False)
    values = {"flag": False, "text": None, "level": 3, "parts": (), "times": 0, "place": "here", "sort": None}
    assert eval(done.output) == values


def test_a_given_option_takes_its_value_and_calls_its_callback() -> None:
    args = ["--flag", "--text", "a", "--level", "4", "--part", "x", "--part", "y", "--times", "--sort"]
    done = CliRunner().invoke(command_of_many, args)
    values = {"flag": True, "text": "<a>", "level": 4, "parts": ("x", "y"), "times": 1, "place": None, "sort": "name"}
    assert eval(done.output) == values


def test_a_required_option_is_asked_for() -> None:
    @click.command()
    @option("--name", required=True)
    def command_of_name(name):
        click.echo(name)

    assert "Missing option '--name'" in CliRunner().invoke(command_of_name, []).output


def test_help_is_the_text_as_it_is() -> None:
    level = next(param for param in command_of_many.params if param.name == "level")
    assert level.help == "How much.\n\n    As it is."
