"""Every verb there is, found by walking the commands from the top."""

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import cleandoc

import click

from ctxkit.main import cli


@dataclass(frozen=True, slots=True)
class Verb:
    """Hold a command, the words that call it, and the verbs below it."""

    name: str
    command: click.Command
    context: click.Context
    verbs: tuple["Verb", ...]

    @property
    def page(self) -> str:
        """Return the name of the man page."""
        return self.name.replace(" ", "-")

    @property
    def summary(self) -> str:
        """Return what the verb does, in a sentence without its full stop."""
        return split_help(self.command)[0][0].partition(". ")[0].removesuffix(".")

    @property
    def options(self) -> list[click.Option]:
        """Return the options in the order of --help."""
        return [param for param in self.command.get_params(self.context) if isinstance(param, click.Option)]

    @property
    def arguments(self) -> list[click.Argument]:
        """Return the arguments in their order."""
        return [param for param in self.command.params if isinstance(param, click.Argument)]

    @property
    def is_top(self) -> bool:
        """Tell whether this is ctxkit itself."""
        return self.context.parent is None

    def walk(self) -> Iterator["Verb"]:
        """Yield the verb and every verb below it."""
        yield self
        for verb in self.verbs:
            yield from verb.walk()


def tree(command: click.Command = cli, name: str = "ctxkit", parent: click.Context | None = None) -> Verb:
    """Return a command with every verb below it, all imported."""
    context = click.Context(command, parent=parent, info_name=name, **command.context_settings)
    names = command.list_commands(context) if isinstance(command, click.Group) else []
    verbs = [(name, command.get_command(context, name)) for name in names] if isinstance(command, click.Group) else []
    below = tuple(tree(verb, name, context) for name, verb in verbs if verb)
    return Verb(context.command_path, command, context, below)


def split_help(command: click.Command) -> tuple[list[str], list[str]]:
    """Return the paragraphs of a command's help, and its examples."""
    paragraphs: list[str] = []
    examples: list[str] = []
    for block in cleandoc(command.help or "").split("\n\n"):
        lines = [line.strip() for line in block.removeprefix("\b\n").split("\n")]
        examples += [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        prose = " ".join(line for line in lines if not line.startswith("$ "))
        if prose:
            paragraphs.append(prose.removesuffix(":") + ("." if prose.endswith(":") else ""))
    return paragraphs, examples
