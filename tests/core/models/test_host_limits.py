"""Each line of the limits that hosts set is well formed, and belongs to a model of the table."""

import re

from ctxkit.core.models.host_limits import HOST_LIMITS, HOST_NAMES
from ctxkit.core.models.model_table import TABLE
from ctxkit.core.models.offers import find_host_limits

LINES = HOST_LIMITS.strip().split("\n")
NAMES = HOST_NAMES.strip().split("\n")
LIMITS = re.compile(r"\d+/\d+=\d+(?:,\d+)*")


def test_each_line_has_a_model_of_the_table_and_its_limits() -> None:
    names = {line.split(" ")[1] for line in TABLE.strip().split("\n") if ">" not in line}
    assert len(LINES) > 100
    for line in LINES:
        name, *limits = line.split(" ")
        assert name in names
        assert limits
        assert all(LIMITS.fullmatch(limit) for limit in limits), line
        assert all(int(number) < len(NAMES) for limit in limits for number in limit.partition("=")[2].split(","))


def test_each_host_has_its_registry_once() -> None:
    assert all(re.fullmatch(r"[^@,\s]+@(?:models\.dev|litellm)", name) for name in NAMES)
    assert len(NAMES) == len(set(NAMES))


def test_a_model_has_one_line_in_the_order_of_names() -> None:
    names = [line.split(" ")[0] for line in LINES]
    assert names == sorted(set(names))


def test_the_limits_of_a_model_grow_from_left_to_right() -> None:
    for line in LINES:
        found = [(limits.window, limits.max_output) for limits in find_host_limits(line.split(" ")[0])]
        assert found == sorted(set(found))
        assert len(found) == line.count(" ")
