"""Where a conversation may be cut."""

from ctxkit.core.compact.cut_points import find_cut_points
from tests.core.chat.talks import Said
from tests.core.compact.sizes import read, written


def of(name, plan):
    transcript = read(written(name, plan), name)
    return transcript.records, transcript.format.RULES


PLAN = [
    *(Said("user", "Go."), Said("assistant", "", (("a", "run"), ("b", "read"))), Said("tool", results=(("a", "run"), ("b", "read")))),
    *(Said("assistant", "Done."), Said("user", "More."), Said("assistant", "", (("c", "run"),))),
]


def test_calls_stay_with_their_results_and_an_open_call_with_the_end() -> None:
    path, rules = of("openai", PLAN)
    assert find_cut_points(path, rules) == ["free", "free", "closed", "closed", "free", "free", "free", "closed"]


def test_calls_of_one_response_stay_together_where_each_is_an_entry() -> None:
    path, rules = of("responses", PLAN)
    assert find_cut_points(path, rules)[1:6] == ["free", "closed", "closed", "closed", "free"]


def thinking(*blocks):
    return {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, *blocks]}


def test_a_loop_that_begins_with_reasoning_may_be_cut_where_its_rest_does_so_too() -> None:
    import json

    call = [{"type": "tool_use", "id": f"t{n}", "name": "run", "input": {}} for n in range(3)]
    told = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": "x"}]} for n in range(3)]
    rows = [
        *({"role": "user", "content": "Go."}, thinking(call[0]), told[0]),
        *({"role": "assistant", "content": [call[1]]}, told[1], thinking(call[2]), told[2]),
        *({"role": "assistant", "content": "Done."}, {"role": "user", "content": "Thanks."}),
    ]
    transcript = read(json.dumps(rows).encode(), "anthropic")
    found = find_cut_points(transcript.records, transcript.format.RULES)
    assert found == ["free", "free", "closed", "closed", "closed", "loop", "closed", "closed", "free", "free"]
