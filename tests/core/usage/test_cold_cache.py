import json
from math import inf
from typing import Any

import pytest

from ctxkit.core.usage.cold_cache import find_cold_time

USAGE = {"input_tokens": 5, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 60}
AT = "1970-01-01T00:01:40.000Z"


def make_line(usage: dict[str, Any], **more: Any) -> str:
    return json.dumps({"type": "assistant", "timestamp": AT, "message": {"role": "assistant", "usage": usage}, **more})


USER = json.dumps({"type": "user", "message": {"role": "user", "content": "x"}})
LONG = {**USAGE, "cache_creation": {"ephemeral_1h_input_tokens": 60}}


@pytest.mark.parametrize(
    ("lines", "cold_from"),
    [
        ([make_line(USAGE), USER, "{"], 400),
        ([make_line(USAGE), make_line(LONG)], 3_700),
        ([make_line(LONG), make_line(USAGE, isSidechain=True)], 3_700),
        ([make_line(USAGE), make_line({"input_tokens": 5})], 0),
        ([make_line(USAGE), json.dumps({"type": "system", "subtype": "compact_boundary"})], 0),
        ([make_line(USAGE, timestamp="soon")], inf),
        ([USER], 0),
        ([], 0),
    ],
)
def test_the_last_answer_tells_when_the_cache_gets_cold(lines: list[str], cold_from: float) -> None:
    assert find_cold_time("\n".join(lines).encode()) == cold_from
