"""Read the front matter of a file: the YAML between two rulers at its beginning."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily

MAX_CHARACTERS, MAX_BRACKETS = 32_768, 500
"""Maximum characters of front matter that is parsed as YAML, and opening brackets: a parser without C is quadratic in
their depth.
"""
_PAIR = compile_lazily(r"([\w.-]+)[ \t]*[:=][ \t]*(.*)$")
_HINT = compile_lazily(r"(argument-hint:)[ \t]*\[[^\n]*$")
"""Matches the hint of a command, as Claude Code's documentation writes it: [file] [format], which is no YAML."""


class FrontMatter(NamedTuple):
    """The keys of a front matter in order, with their values as text; lists are joined by commas.

    ``lines`` are the numbers of the lines of the keys. ``problem`` says why the text is not a YAML mapping, and
    ``problem_line`` where; "" and 0 if it is one.
    """

    values: Mapping[str, str] = MappingProxyType({})
    lines: Mapping[str, int] = MappingProxyType({})
    problem: str = ""
    problem_line: int = 0


NO_FRONT_MATTER = FrontMatter()


def parse_front_matter(lines: Sequence[str]) -> FrontMatter:
    """Return the front matter of the lines from its opening to its closing ruler.

    Text that is not a YAML mapping is read line by line, as lenient hosts read it, and so is the TOML between ``+++``.
    """
    body = lines[1:-1]
    pairs = {key: (value, number) for key, value, number in _read_pairs(body)}
    front_matter = FrontMatter(
        {key: value for key, (value, _) in pairs.items()}, {key: number for key, (_, number) in pairs.items()}
    )
    text = "\n".join(_HINT.sub(r"\1 ''", line) for line in body)
    if not lines[0].startswith("---") or len(text) > MAX_CHARACTERS or text.count("[") + text.count("{") > MAX_BRACKETS:
        return front_matter
    values, problem, line = _parse_yaml(text)
    if problem:
        return front_matter._replace(problem=problem, problem_line=line + 2)
    return front_matter._replace(values=values)


def _parse_yaml(text: str) -> tuple[Mapping[str, str], str, int]:
    """Return the values of a YAML mapping; or why the text is none, and the line of the problem, from 0."""
    import yaml

    try:
        data = yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))  # scalars stay text
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return {}, str(error.problem or error.context), mark.line if mark else 0
    except (yaml.YAMLError, UnicodeError, RecursionError):  # a character that YAML does not allow, or too deep
        return {}, "a character or a nesting that YAML does not allow", 0
    if isinstance(data, dict):
        return {key: _join_value(value) for key, value in data.items() if isinstance(key, str)}, "", 0
    return {}, "" if data in (None, "") else "text instead of keys and values", 0


def _join_value(value: object) -> str:
    """Return a value as text: the members of a list joined by commas, and "" for a mapping.

    Aliases may repeat a long member: what is longer together than front matter may be is "" too.
    """
    if isinstance(value, list):
        members = [member for member in value if isinstance(member, str)]
        return ",".join(members) if sum(map(len, members)) <= MAX_CHARACTERS else ""
    return value.strip() if isinstance(value, str) else ""


def _read_pairs(body: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Yield each key with its value and its line, from the lines between the rulers; a later one of a key is longer."""
    key, value, number = "", "", 0
    for line_number, line in enumerate(body, 2):
        pair = _PAIR.match(line)
        if pair:
            key, number = pair[1], line_number
            value = pair[2].strip().strip("[]").replace('"', "").replace("'", "")
        elif key and (member := line.strip()).startswith("- "):
            member = member[2:].strip().strip("\"'")
            value = f"{value},{member}" if value else member
        else:
            continue
        yield key, value, number
