"""Deeds with what kind they are and how they ended, worked out once."""

from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.context.extract.acts import Act, act
from ctxkit.core.context.extract.deed import Deed
from ctxkit.core.context.extract.outcome import Outcome, outcome


class Judged(NamedTuple):
    """Hold a deed, what kind it is, and how it ended."""

    deed: Deed
    act: Act
    ended: Outcome


def judged(done: Sequence[Deed]) -> tuple[Judged, ...]:
    """Return deeds with what kind they are and how they ended."""
    return tuple(Judged(deed, kind, outcome(deed, kind)) for deed in done for kind in (act(deed),))
