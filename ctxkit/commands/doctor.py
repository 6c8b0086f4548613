"""ctxkit doctor."""

import os
from collections.abc import Iterable, Iterator
from itertools import groupby

import click

from ctxkit import supply
from ctxkit.core.checkup import Check
from ctxkit.core.escaped import escaped
from ctxkit.core.exit import Exit
from ctxkit.core.measure import plural
from ctxkit.core.trouble import Trouble
from ctxkit.edge import options, out, settings
from ctxkit.edge.checkup import configuration, directories, extras, program, weights
from ctxkit.edge.settings import Settings

SIGNS = {"ok": " ", "absent": "-", "bad": "!"}
"""What stands before a line: a blank for what is well, a dash for what is not there, a mark for what is wrong."""


@click.command("doctor")
@options.as_json
def command(as_json: bool) -> Exit:
    """Check this machine, the store and every setting.

    Each setting is shown with where its value comes from. A line that begins
    with ! needs you, one with - names what could be had; the answer is 1 when
    anything needs you. Nothing is changed and nothing is downloaded.

    \b
    $ ctxkit doctor
    """
    wrong: list[Trouble] = []
    chosen = settings.load(blame=wrong.append)
    checks = list(_checks(chosen, wrong))
    bad = sum(check.state == "bad" for check in checks)
    if as_json:
        out.write_json({"well": not bad, "checks": [check._asdict() for check in checks]})
    else:
        out.write_text("".join(f"{line}\n" for line in _lines(checks)) + _verdict(bad))
    return Exit.NO if bad else Exit.DONE


def _checks(chosen: Settings, wrong: list[Trouble]) -> Iterator[Check]:
    yield from program.checks()
    yield from supply.checks(chosen)
    yield from directories.checks(chosen)
    yield from configuration.checks(chosen, wrong, os.environ)
    yield from extras.checks()
    yield from weights.checks(os.environ)


def _lines(checks: Iterable[Check]) -> Iterator[str]:
    for topic, group in groupby(checks, key=lambda check: check.topic):
        rows = list(group)
        width = min(max(len(check.name) for check in rows), 28)
        yield topic
        for check in rows:
            yield escaped(f"{SIGNS[check.state]} {check.name:{width}}  {' '.join(check.value.splitlines())}")
            if check.hint and check.state != "ok":
                yield escaped(f"  {'':{width}}  hint: {check.hint}")


def _verdict(bad: int) -> str:
    return f"{plural(bad, 'thing')} to see to\n" if bad else "all is well\n"
