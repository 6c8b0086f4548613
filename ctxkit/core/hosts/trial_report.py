"""Check what a model saw of commands in a trial, without ctxkit and with it."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.checkup import Check
from ctxkit.core.hosts.model_apis import Call
from ctxkit.core.hosts.trials import FORBIDDEN, FORBIDDEN_OUTPUT, HostTrial

LONG = "seq -f 'line %.0f of a long and boring output, again' 5000; exit 3"
SMALL = "echo small; exit 4"
COMMANDS = (LONG, SMALL, "cd sub && pwd", "pwd", FORBIDDEN)
"""What the model calls, in order: long output, a status, two directories, and a command that a rule forbids."""
MAX_END = 100
"""Most characters of the beginning and of the end of a result that a check quotes."""
_IN_FRONT = re.compile(r"test -r \S+wrap\.sh && \. \S+wrap\.sh; ")
_REF = re.compile(r"ctxkit cache get \w+")


class TrialResults(NamedTuple):
    """The output of each command that the model saw without ctxkit, and with it."""

    plain: Sequence[str]
    gated: Sequence[str]


def make_calls(trial: HostTrial) -> list[Call]:
    """Return the tool calls of the model."""
    return [(trial.tool, {trial.key: command, "description": "try it"}) for command in COMMANDS]


def check_results(results: TrialResults, trial: HostTrial, topic: str) -> Iterator[Check]:
    """Yield the results of the trial: the map, the status, the directory, and the rule."""
    plain, gated = ([_clean(text, trial) for text in texts[: len(COMMANDS)]] for texts in results)
    if min(len(plain), len(gated)) < len(COMMANDS):
        value = f"the model saw {len(plain)} and {len(gated)} of {len(COMMANDS)} results, without ctxkit and with it"
        yield Check(topic, "results", value, "bad", f"run {topic} once by itself")
        return
    yield _check_hook(plain[0], gated[0], topic)
    yield _compare(plain[1:2], gated[1:2], topic, "status")
    yield _compare(plain[2:4], gated[2:4], topic, "directory")
    yield _check_rule(plain[4], gated[4], trial, topic)
    for command, text in zip(COMMANDS, gated, strict=True):
        yield Check("what the model sees", command, quote_ends(text))


def quote_ends(text: str) -> str:
    """Return a text on one line, its middle left out if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= 2 * MAX_END else f"{line[:MAX_END]} ... {line[-MAX_END:]}"


def _check_hook(plain: str, gated: str, topic: str) -> Check:
    """Return whether long output arrived as a map with the status of its command."""
    sizes = f"{len(gated):,} characters, {len(plain):,} without ctxkit"
    if not _REF.search(gated):
        return Check(topic, "hook", f"does not work: long output is not a map ({sizes})", "bad", "please report it")
    if "Exit status 3" not in gated:
        return Check(topic, "hook", f"the map lacks the exit status ({sizes})", "bad", "please report it")
    return Check(topic, "hook", f"works: long output is a map ({sizes})")


def _compare(plain: Sequence[str], gated: Sequence[str], topic: str, name: str) -> Check:
    """Return whether small output is as it is without ctxkit."""
    if plain == gated:
        return Check(topic, name, "as without ctxkit")
    shown = " / ".join(map(quote_ends, plain))
    return Check(topic, name, f"another one than without ctxkit: {shown}", "bad", "please report it")


def _check_rule(plain: str, gated: str, trial: HostTrial, topic: str) -> Check:
    """Return whether a forbidden command stays forbidden."""
    if not trial.has_rules:
        return Check(topic, "rule", "the host has no rules for commands", "absent")
    if FORBIDDEN_OUTPUT in plain:
        return Check(topic, "rule", f"the host ran {FORBIDDEN} against its rule, without ctxkit too", "bad")
    if FORBIDDEN_OUTPUT in gated:
        return Check(topic, "rule", f"ctxkit lets {FORBIDDEN} run, which a rule forbids", "bad", "please report it")
    return Check(topic, "rule", f"{FORBIDDEN} stays forbidden")


def _clean(text: str, trial: HostTrial) -> str:
    """Return what a model saw without what differs from run to run, and without the line in front of a command."""
    return _IN_FRONT.sub("", re.sub(trial.noise, "", text))
