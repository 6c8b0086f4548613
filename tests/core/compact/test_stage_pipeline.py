"""Whatever comes in, what goes out is valid, small enough, and all of it can be had back."""

import json
import re
from hashlib import sha256
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.compact.outcome import ConversationSize, StageReport
from ctxkit.core.compact.plan import prepare_input
from ctxkit.core.compact.policy import CachePrices, CompactionPolicy
from ctxkit.core.compact.stage_pipeline import make_unchanged
from ctxkit.core.text.retrieval_hint import PRESETS
from tests.core.chat.talks import FORMATS, Said, lines, mutilated, plans
from tests.core.compact.sizes import balance, compact, policy, read, session, total, working, written
from tests.example_counts import count_examples

every_format = pytest.mark.parametrize("name", FORMATS)
words = st.text(st.sampled_from("abc \n.,:/一界🙂é"), max_size=400)


def again(outcome):
    return read(outcome.content)


@every_format
def test_below_the_trigger_nothing_is_touched(name) -> None:
    before = session(name, 3)
    outcome = compact(before, policy(200_000))
    assert (outcome.result, outcome.content) == ("unchanged", before.encode(before.text))


@pytest.mark.parametrize("short_by", [0, 1])
def test_a_conversation_is_due_from_the_very_trigger_on(short_by: int) -> None:
    before = session("openai", 40)
    tokens = total(before)
    window = next(size for size in count(tokens) if CompactionPolicy(size, 0).trigger_size == tokens + short_by)
    outcome = compact(before, CompactionPolicy(window, 0))
    assert tokens / window == pytest.approx(0.95, abs=0.001)
    assert outcome.result == ("unchanged" if short_by else "compacted")


@pytest.mark.quick_cases(14)
@every_format
@pytest.mark.parametrize("window", [600, 2048, 4096])
def test_a_long_session_fits_its_window_and_is_valid(name, window: int) -> None:
    before = session(name)
    outcome = compact(before, policy(window))
    after = read(outcome.content, name)
    assert outcome.result == "compacted"
    assert find_breaches(after) == ()
    assert total(after) < policy(window).trigger_size
    assert outcome.after.amount.high == total(after)
    assert "Please fix the parser in src/parser.py." in after.text


def test_a_loop_with_reasoning_and_a_long_last_answer_fits_a_small_window() -> None:
    loop = [{"role": "user", "content": "Please fix the parser."}]
    for number in range(8):
        thought = {"type": "thinking", "thinking": f"Step {number}.", "signature": "s"}
        call = {"type": "tool_use", "id": f"t{number}", "name": "run", "input": {"command": f"make {number}"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"line {number}\n" * 60}
        loop += [{"role": "assistant", "content": [thought, call]}, {"role": "user", "content": [result]}]
    answer = [{"type": "text", "text": "".join(f"Change {number} is done.\n" for number in range(300))}]
    before = read(lines([*loop, {"role": "assistant", "content": answer}]), "anthropic")
    outcome = compact(before, policy(1000))
    assert outcome.result == "compacted"
    assert [report.undone for report in outcome.stage_reports if report.stage == "truncate"] == [""]
    assert find_breaches(again(outcome)) == ()


@pytest.mark.quick_cases(11)
@every_format
def test_what_stays_untouched_keeps_its_bytes(name) -> None:
    before = session(name)
    outcome = compact(before, policy(4096))
    raws = {before.get_raw(record) for record in before.records}
    after = again(outcome)
    kept = [after.get_raw(after.records[at]) for at in find_active_path(after)]
    changed = [raw for raw in kept if raw not in raws]
    edited = {at for at, _ in outcome.plan.edits()}
    assert len(kept) - len(changed) >= 3
    assert len(changed) <= len(edited) + 3  # the summary, and in a tree what hangs under it and under the request now


@pytest.mark.quick_cases(4)
@every_format
@given(plan=plans, outputs=st.lists(words, max_size=18), window=st.integers(200, 2000), force=st.booleans())
@settings(max_examples=count_examples(10), deadline=None)
def test_any_conversation_stays_valid_and_never_grows(name, plan, outputs, window: int, force: bool) -> None:
    before = read(written(name, plan, outputs), name)
    rule = policy(window, force=force)
    outcome = compact(before, rule)
    after = again(outcome)
    assert len(find_breaches(after)) == 0
    assert total(after) <= total(before)
    if outcome.result == "compacted":
        assert total(after) <= rule.effective
        assert total(after) < total(before)
    else:
        assert outcome.content == before.encode(before.text)
    assert (outcome.result == "refused") == (total(after) > rule.effective)
    assert outcome.stored == () or outcome.stored[0].ref == sha256(before.encode(before.text)).hexdigest()


@pytest.mark.quick_cases(4)
@every_format
@given(data=st.data(), window=st.integers(200, 1200))
@settings(max_examples=count_examples(10), deadline=None)
def test_what_is_broken_comes_out_no_worse(name, data: st.DataObject, window: int) -> None:
    entries = data.draw(mutilated(name))
    before = read(FORMATS[name][1](entries), name)
    outcome = compact(before, policy(window, force=True))
    rules = {breach.rule for breach in find_breaches(before)}
    assert {breach.rule for breach in find_breaches(read(outcome.content, name))} <= rules


@pytest.mark.quick_cases(11)
@every_format
@pytest.mark.parametrize("window", [600, 2048, 4096])
@pytest.mark.parametrize("force", [False, True])
def test_to_compact_again_changes_nothing(name, window: int, force: bool) -> None:
    once = compact(session(name), policy(window, force=force))
    twice = compact(again(once), policy(window, force=force))
    assert twice.content == once.content


@pytest.mark.quick_cases(9)
@every_format
def test_a_conversation_that_goes_on_is_compacted_again_and_has_one_summary(name) -> None:
    plan_of = [Said("user", "First do this: fix src/a.py.")]
    make = FORMATS[name][0]
    content = compact(session(name), policy(2048)).content
    rows = json.loads(content) if content[:1] in b"{[" and not content.count(b"\n{") else None
    if name == "chatml":
        content += FORMATS[name][1](make(plan_of))
    elif rows is None:
        more = make(plan_of)[-1]
        last = json.loads(content.splitlines()[-1])
        for own, parent in (("uuid", "parentUuid"), ("id", "parentId")):
            if parent in more:
                more[own], more[parent] = "new", last[own]
        content += lines([more])
    else:
        key = next(key for key, value in rows.items() if isinstance(value, list))
        rows[key] += make(plan_of)
        content = json.dumps(rows).encode()
    outcome = compact(read(content, name), policy(2048, force=True, recent=100))
    after = again(outcome)
    texts = [after.records[at].words for at in find_active_path(after)]
    assert outcome.result == "compacted"
    assert sum(text.count("[ctxkit summary]") for text in texts) == 1
    assert any("First do this: fix src/a.py." in text for text in texts)
    assert find_breaches(after) == ()


def test_what_is_left_may_not_show_its_api_and_is_compacted_as_before() -> None:
    once = compact(session("anthropic"), policy(400))
    rows = json.loads(once.content)
    assert "tool_use" not in once.content.decode()
    rows["messages"] += [{"role": "assistant", "content": "word " * 90}, {"role": "user", "content": "And now?"}] * 9
    rows["messages"].append({"role": "assistant", "content": "Now the tests."})
    twice = compact(read(json.dumps(rows).encode()), policy(1200, force=True, recent=100))
    made = json.loads(twice.content)["messages"]
    assert "summarize" in [one.stage for one in twice.stage_reports if not one.undone]
    assert {row["role"] for row in made} <= {"user", "assistant"}
    assert made[0]["content"].startswith("[ctxkit summary]")
    assert json.dumps(made).count("[ctxkit summary]") == 1


@every_format
def test_a_forced_compaction_below_the_mark_only_clears_results(name) -> None:
    before = session(name)
    outcome = compact(before, policy(200_000, force=True, recent=100))
    assert outcome.result == "compacted"
    assert [report.stage for report in outcome.stage_reports] == ["clear"]
    assert len(find_active_path(again(outcome))) == len(find_active_path(before))
    assert compact(again(outcome), policy(200_000, force=True, recent=100)).content == outcome.content


@pytest.mark.quick_cases(11)
@every_format
@pytest.mark.parametrize("window", [4096, 8192])
def test_a_compaction_is_filled_up_to_the_mark(name, window: int) -> None:
    outcome = compact(session(name, 200), policy(window))
    assert 0.85 * policy(window).goal <= outcome.after.amount.high <= policy(window).goal


@every_format
def test_without_a_store_nothing_is_said_to_be_stored(name) -> None:
    outcome = compact(session(name), policy(4096), stores=False)
    assert outcome.stored == ()
    assert "ctxkit cache get" not in outcome.content.decode()


def test_what_the_system_says_leaves_room_for_the_request_alone() -> None:
    plan, outputs = working(12, 40)
    rows = json.loads(written("openai", plan, outputs))["messages"]
    system = {"role": "system", "content": "Be good and quick. " * 300}
    outcome = compact(read(json.dumps([system, *rows]).encode()), policy(2000))
    after = again(outcome)
    assert outcome.result == "compacted"
    assert total(after) <= policy(2000).effective
    assert "Please fix the parser in src/parser.py." in [record.words for record in after.records]


def test_a_call_that_waits_for_its_result_stays_last() -> None:
    plan = [Said("user", "Go."), *(Said("assistant", "word " * 200) for _ in range(9))]
    plan += [Said("user", "Now run it."), Said("assistant", "", (("c1", "run"), ("c2", "read")))]
    outcome = compact(read(written("openai", plan), "openai"), policy(1500))
    after = again(outcome)
    assert outcome.result == "compacted"
    assert [call.id for call in after.records[-1].calls] == ["c1", "c2"]
    assert find_breaches(after) == ()


def test_one_huge_message_is_shortened_and_can_be_read_back() -> None:
    plan = [Said("user", "Look at this:\n" + "\n".join(f"row {number}" for number in range(5000))), Said("assistant", "ok")]
    outcome = compact(read(written("openai", plan), "openai"), policy(2048))
    after = again(outcome)
    assert outcome.result == "compacted"
    assert after.records[-1].words == "ok"
    asked = next(record.words for record in after.records if record.role == "user")
    assert asked.startswith("Look at this:\nrow 0\n")
    assert asked.endswith("row 4999")
    assert any(one.data.decode() == plan[0].words and one.ref[:16] in asked for one in outcome.stored)


def test_a_pin_survives_word_for_word() -> None:
    pin = "Never touch the table `users`: it is shared."
    plan = [Said("user", f"Hello. {pin} Thanks."), Said("assistant", "Noted. " * 300), Said("user", "Go " * 300)]
    plan += [Said("assistant", "Working. " * 300), Said("user", "And?"), Said("assistant", "Done.")]
    outcome = compact(read(written("anthropic", plan), "anthropic"), policy(1500, pins=(pin, "two\nlines")))
    after = again(outcome)
    assert outcome.result == "compacted"
    assert any(pin in record.words for record in after.records)
    assert any("two\nlines" in record.words for record in after.records)


@pytest.mark.quick_cases(6)
@every_format
def test_stages_alone_do_what_they_say(name) -> None:
    before = session(name)
    cleared = compact(before, policy(int(1.2 * total(before)), stages=("clear",)))
    assert [one.stage for one in cleared.stage_reports] == ["clear"]
    assert len(find_active_path(again(cleared))) == len(find_active_path(before))
    assert "Tool result stored" in cleared.content.decode()
    summed = compact(before, policy(int(1.2 * total(before)), stages=("summarize",)))
    assert "[ctxkit summary]" in summed.content.decode()
    assert "Tool result stored" not in summed.content.decode()
    cut = compact(before, policy(4096, stages=("truncate",)))
    assert "are left out here" in cut.content.decode()
    assert find_breaches(again(cut)) == ()


def test_what_passes_as_it_came_is_not_called_repaired() -> None:
    whole = session("openai")
    result = next(record.at for record in whole.records if record.results)
    before = parse_transcript(whole.encode(apply_change(whole, Change(frozenset({result})))), "chat", whole.format)
    window = int(total(before) / 0.8 / 0.96)
    unchanged = compact(before, policy(window, prices=CachePrices(), turns=1))
    assert (unchanged.result, unchanged.repairs) == ("unchanged", ())
    assert len(compact(before, policy(window)).repairs) == 1


@pytest.mark.parametrize("name", ["claude-code", "pi"])
def test_in_a_tree_the_summary_stands_above_the_request_that_stays(name: str) -> None:
    after = again(compact(session(name), policy(2048)))
    path = [after.records[at] for at in find_active_path(after)]
    assert ["[ctxkit summary]" in record.words for record in path[:3]] == [True, False, False]
    assert path[1].words == "Please fix the parser in src/parser.py."
    assert [record.link.parent for record in path[1:]] == [record.link.id for record in path[:-1]]
    assert [record.at for record in path] == sorted(record.at for record in path)


def test_an_unknown_leaf_is_said() -> None:
    with pytest.raises(KeyError):
        compact(session("claude-code", 3), policy(1024), leaf="nowhere")


def test_the_other_branch_is_left_out() -> None:
    plan, _ = [Said("user", "One."), Said("assistant", "word " * 900), Said("user", "Two."), Said("assistant", "Yes.")], 0
    entries = FORMATS["claude-code"][0](plan)
    other = {**entries[2], "uuid": "other", "message": {"role": "user", "content": "The road not taken."}}
    data = lines([*entries[:3], other, *entries[3:]])
    outcome = compact(read(data), policy(600))
    assert outcome.result == "compacted"
    assert "The road not taken." not in outcome.content.decode()
    assert list(outcome.dropped.values()).count("other branch") == 1


def test_ids_of_what_is_made_are_the_same_each_time() -> None:
    before = session("claude-code")
    assert compact(before, policy(4096)).content == compact(before, policy(4096)).content


def test_words_of_another_alphabet_are_counted_as_they_are() -> None:
    plan = [Said("user", "请修复 src/解析器.py 里的错误。"), *(Said("assistant", "好的，我正在修复这个问题。" * 60) for _ in range(8))]
    plan += [Said("user", "继续"), Said("assistant", "完成了")]
    outcome = compact(read(written("openai", plan), "openai"), policy(2048))
    assert outcome.result == "compacted"
    assert total(again(outcome)) < policy(2048).trigger_size
    assert "继续" in [one.words for one in again(outcome).records]


@pytest.mark.quick_cases(17)
@every_format
@pytest.mark.parametrize("last", [1, 4, 9])
def test_so_many_of_the_newest_messages_stay_as_they_are(name, last: int) -> None:
    before = session(name)
    outcome = compact(before, policy(4096, last=last, stages=("summarize",)))
    after = again(outcome)
    was, now = ([(one.records[at].words, one.records[at].results) for at in find_active_path(one)] for one in (before, after))
    assert outcome.result == "compacted"
    same = min(last, len(now) - 2)
    assert now[len(now) - same :] == was[len(was) - same :]
    assert len(now) <= last + 4


def test_pictures_leave_with_the_result_that_holds_them() -> None:
    import base64

    png = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\0\0\0\2\0" + b"\0" * 9).decode()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png}}
    rows = [{"role": "user", "content": "Look."}]
    for number in range(12):
        rows.append({"role": "assistant", "content": [{"type": "tool_use", "id": f"t{number}", "name": "shot", "input": {}}]})
        told = [{"type": "text", "text": f"shot {number}"}, image]
        rows.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{number}", "content": told}]})
    data = json.dumps(rows).encode()
    outcome = compact(read(data), policy(5000, stages=("clear",)))
    stubs = [row for row in json.loads(outcome.content) if "Tool result stored" in json.dumps(row, ensure_ascii=False)]
    assert outcome.result == "compacted"
    assert len(stubs) > 3
    assert json.dumps([{"type": "text", "text": "shot 0"}, image]).encode() in [one.data for one in outcome.stored]


def test_what_commands_returned_is_cleared_where_an_agent_has_no_calls() -> None:
    rows = [{"role": "system", "content": "Answer with one command."}, {"role": "user", "content": "Please fix it."}]
    for number in range(20):
        rows.append({"role": "assistant", "content": f"Looking.\n\n```bash\ncat f{number}.py\n```"})
        told = f"row {number} of the file\n" * 60
        rows.append({"role": "user", "content": f"<returncode>0</returncode>\n<output>\n{told}</output>"})
    outcome = compact(read(json.dumps(rows).encode()), policy(9000, stages=("clear",)))
    made = json.loads(outcome.content)
    assert outcome.result == "compacted"
    assert made[3]["content"].startswith("[Tool result stored")
    assert made[:3] == rows[:3]
    assert made[-6:] == rows[-6:]


def test_words_beside_results_in_one_message_stay() -> None:
    rows = [{"role": "user", "content": "Go."}]
    for number in range(10):
        rows.append({"role": "assistant", "content": [{"type": "tool_use", "id": f"t{number}", "name": "run", "input": {}}]})
        told = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"line {number}\n" * 150}
        rows.append({"role": "user", "content": [told, {"type": "text", "text": f"note {number}"}]})
    outcome = compact(read(json.dumps(rows).encode()), policy(5000, stages=("clear",)))
    assert "Tool result stored" in outcome.content.decode()
    assert all(f"note {number}" in outcome.content.decode() for number in range(10))


@given(window=st.integers(600, 3000), sizes=st.lists(st.integers(1, 500), min_size=3, max_size=20))
@settings(max_examples=count_examples(40), deadline=None)
def test_the_next_one_is_not_due_at_once(window: int, sizes: list[int]) -> None:
    plan = [Said("user", "Do it."), *(Said("assistant", "word " * size) for size in sizes), Said("user", "And now?")]
    rule = policy(window)
    outcome = compact(read(written("openai", plan), "openai"), rule)
    if outcome.result == "compacted":
        assert total(again(outcome)) <= rule.drop_threshold


def demanding(many):
    """Return a session in which every request makes a demand and is answered at length."""
    demands = [f"Never rename the column number {at}." for at in range(many)]
    turns = [message for demand in demands for message in (
        {"role": "user", "content": f"Look at the next table. {demand}"},
        {"role": "assistant", "content": "I looked at it, and it is as it should be in every respect. " * 8},
    )]
    return demands, parse_transcript(json.dumps(turns).encode(), "x")


def test_no_demand_is_left_out_while_there_is_room():
    demands, before = demanding(60)
    outcome = compact(before, policy(8192))
    assert outcome.result == "compacted"
    assert [demand for demand in demands if demand not in again(outcome).text] == []
    assert outcome.after.amount.high <= policy(8192).goal


def test_a_record_is_not_part_of_the_page_and_survives_the_next_compaction():
    demands, before = demanding(60)
    outcome = compact(before, policy(8192))
    assert outcome.summary.page.extra == ()
    second = compact(again(outcome), policy(8192)._replace(force=True))
    assert [demand for demand in demands if demand not in again(second).text] == []
    assert again(second).text.count("## Record") == 1


@pytest.mark.parametrize("size", range(1, 9))
def test_the_output_never_takes_more_tokens_than_the_input(size: int) -> None:
    before = session("openai", 1, size)
    outcome = compact(before, policy(2048, force=True, last=1))
    assert outcome.after.amount.tokens <= outcome.before.amount.tokens


def _compact_messages(messages, window):
    outcome = compact(read(json.dumps(messages).encode()), policy(window))
    assert outcome.result == "compacted"
    return json.loads(outcome.content)


def _work(many):
    """Return messages of a user and an agent that reads files."""
    for number in range(many):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "bash", "arguments": json.dumps({"command": f"cat src/{number}.py"})}}
        yield {"role": "user", "content": f"Look at module {number}. Never rename port {8000 + number}."}
        yield {"role": "assistant", "content": None, "tool_calls": [call]}
        yield {"role": "tool", "tool_call_id": f"c{number}", "content": f"x{number} = {number}\n" * 300}
        yield {"role": "assistant", "content": f"Module {number} is fine."}


def _fail(many):
    """Return the calls of commands that fail, each for a reason of its own."""
    for number in range(many):
        call = {"id": f"f{number}", "type": "function", "function": {"name": "bash", "arguments": json.dumps({"command": f"make part-{number}"})}}
        yield {"role": "assistant", "content": None, "tool_calls": [call]}
        yield {"role": "tool", "tool_call_id": f"f{number}", "content": f"{'building ' * 400}\nerror: no rule {number}\nExit code: 2"}


def test_a_record_has_room_beside_a_request_that_reaches_the_low_water_mark() -> None:
    system = {"role": "system", "content": "Keep to the house style. " * 460}
    request = {"role": "user", "content": " ".join(f"Then see to part {number}." for number in range(220))}
    left = _compact_messages([system, request, *_fail(20)], 8_192)
    assert all(f"error: no rule {number}" in json.dumps(left) for number in range(20))


def test_a_record_has_room_beside_instructions_longer_than_the_low_water_mark() -> None:
    left = _compact_messages([{"role": "system", "content": "Keep to the house style. " * 900}, *_work(8)], 8_192)
    assert all(f"Never rename port {8000 + number}." in json.dumps(left) for number in range(8))


def test_the_middle_of_a_long_request_gives_way_to_the_record() -> None:
    steps = "\n".join(f"Step {number} of the procedure says what to do with part {number}." for number in range(160))
    left = _compact_messages([*_work(6), {"role": "user", "content": f"Follow the plan.\n{steps}\nThen stop."}], 4_096)
    assert left[-1]["content"].startswith("Follow the plan.")
    assert left[-1]["content"].endswith("Then stop.")
    assert all(f"Never rename port {8000 + number}." in json.dumps(left) for number in range(6))


def test_messages_stay_where_the_summary_leaves_room() -> None:
    short = [{**part, "content": part["content"][:200]} if part["role"] == "tool" else part for part in _work(60)]
    limits = policy(8_192)
    outcome = compact(read(json.dumps(short).encode()), limits)
    assert 0.9 * limits.goal <= outcome.after.amount.high <= limits.goal


def test_a_conversation_that_goes_on_keeps_no_more_than_it_has_to() -> None:
    short = [{**part, "content": part["content"][:200]} if part["role"] == "tool" else part for part in _work(60)]
    sizes = [
        compact(read(json.dumps(short).encode()), policy(8_192)._replace(is_in_loop=not more)).after.amount.high
        for more in (False, True)
    ]
    assert sizes[0] < 0.95 * sizes[1]


def _loop(turns: int, last: int = 40) -> list[dict[str, object]]:
    """Return a request and so many calls with results, whose last one has not been seen."""
    messages: list[dict[str, object]] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Fix it. " * 200}]
    for number in range(turns):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "run", "arguments": '{"command": "make"}'}}
        lines = last if number == turns - 1 else 40
        text = "\n".join(f"{number}: line {line} of the output" for line in range(lines))
        messages += [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "tool", "tool_call_id": f"c{number}", "content": text}]
    return messages


def test_in_a_loop_a_result_that_the_model_has_not_seen_stays_whole() -> None:
    messages = _loop(12, last=110)
    limits = policy(3_000)
    (loop, other) = (
        compact(read(json.dumps(messages).encode()), limits._replace(is_in_loop=is_in_loop, force=True)).transcript
        for is_in_loop in (True, False)
    )
    assert loop.records[-1].results[0].text == messages[-1]["content"]
    assert other.records[-1].results[0].text != messages[-1]["content"]


def test_an_unseen_result_is_shortened_if_nothing_else_makes_the_request_fit() -> None:
    outcome = compact(read(json.dumps(_loop(6, last=900)).encode()), policy(3_000)._replace(is_in_loop=True, force=True))
    assert outcome.result == "compacted"
    assert outcome.after.amount.high <= 2_400
    assert "bytes are left out here" in outcome.transcript.records[-1].results[0].text


def test_in_a_loop_the_next_compaction_begins_with_the_same_request_and_page() -> None:
    limits, texts = policy(3_000)._replace(is_in_loop=True, force=True), []
    messages = _loop(12)
    for turn in range(3):
        outcome = compact(read(json.dumps(messages).encode()), limits)
        messages = json.loads(outcome.content)
        texts.append(json.dumps(messages[:3]))
        assert [message["role"] for message in messages[:3]] == ["system", "user", "system"]
        assert messages[2]["content"].startswith("[ctxkit summary]")
        more = _loop(6)[2:]
        messages += [json.loads(json.dumps(message).replace('"c', f'"d{turn}')) for message in more]
    pages = [text.partition("[To read these messages")[0].partition("## Record")[0] for text in texts]
    assert pages[0] == pages[1] == pages[2]


def test_the_way_back_is_what_the_hint_names() -> None:
    given = policy(3_000)._replace(is_in_loop=True, force=True, hint_template=PRESETS["read_result"])
    long = [*_loop(12), {"role": "assistant", "content": "word " * 900}, {"role": "user", "content": "Go on. " * 200}]
    text = compact(read(json.dumps(long).encode()), given).content.decode()
    assert "To read these messages: read_result with ref_id=" in text
    assert "ctxkit cache get" not in text
    curl = "curl http://127.0.0.1:8900/ref/{ref}?lines={start}:{end}"
    text = compact(read(json.dumps(long).encode()), given._replace(hint_template=curl)).content.decode()
    assert "To read these messages: curl http://127.0.0.1:8900/ref/" in text
    assert "ctxkit cache get" not in text


def test_a_system_prompt_that_is_larger_than_the_window_is_refused_with_the_reason() -> None:
    data = json.dumps([{"role": "system", "content": "Be good. " * 900}, {"role": "user", "content": "hello"}]).encode()
    outcome = compact(read(data), policy(1000))
    assert (outcome.result, outcome.content) == ("refused", data)
    assert outcome.reason.startswith("system messages and tools alone take 2,7")


def test_a_refusal_without_truncation_names_the_stages() -> None:
    data = json.dumps([{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Well. " * 900}]).encode()
    outcome = compact(read(data), policy(1000, stages=("clear", "summarize")))
    assert outcome.result == "refused"
    assert re.fullmatch(r"\d,\d+ tokens remain after clear and summarize, and the effective window is 800", outcome.reason)


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (700, "tokens remain because truncate is undone (it breaks a rule: x), and the effective window is 800"),
        (1200, "what always stays takes 1,200 tokens "),
        (90_000, "tokens remain because truncate is undone (it breaks a rule: x), and the effective window is 800"),
    ],
)
def test_a_refusal_names_the_stage_whose_undoing_is_its_cause(after: int, reason: str) -> None:
    before = session("openai")
    conversation = prepare_input(before, balance(before), policy(1000))
    size = ConversationSize(balance(before).count_transcript(before).amount, len(before.records), len(before.text))
    reports = (StageReport("clear", 9000, 8999, "it saves less than 10%"), StageReport("truncate", 9000, after, "it breaks a rule: x"))
    outcome = make_unchanged(conversation, before.encode(before.text), size, reports)
    assert outcome.result == "refused"
    assert reason in outcome.reason


def test_it_compacts_only_where_that_pays_for_the_cache() -> None:
    before = session("openai")
    window = int(total(before) / 0.8 / 0.96)
    asked = policy(window, prices=CachePrices(), turns=1)
    kept = compact(before, asked)
    assert (kept.result, kept.reason.split(" does ")[1]) == ("unchanged", "not pay over 1 turns")
    assert compact(before, asked._replace(turns=50)).result == "compacted"
    blocked = compact(before, asked._replace(window=window * 9 // 10, reserve=window * 9 // 50))
    assert blocked.result == "compacted"


def test_a_page_is_made_on_demand_where_clearing_is_enough() -> None:
    outcome = compact(session("openai"), policy(8192, stages=("clear",)), always_summarize=True)
    assert [one.stage for one in outcome.stage_reports] == ["clear"]
    assert "Please fix the parser" in outcome.summary.page.task
