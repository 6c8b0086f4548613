"""The last stage: long texts are shortened at both ends, then the oldest messages leave for good."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from json import dumps
from typing import Any, Literal, NamedTuple

from ctxkit.core.chat.editor import Patch
from ctxkit.core.chat.record import Call, Place, Record
from ctxkit.core.compact.draft import Case, Draft, Shortened, front
from ctxkit.core.compact.joints import joints
from ctxkit.core.compact.lead import instructs, is_summary
from ctxkit.core.compact.seating import seat_of
from ctxkit.core.compact.shorten import shortened
from ctxkit.core.compact.summarize import gained, last_request
from ctxkit.core.context.extract.deed import observed

CAPS = (8_192, 4_096, 2_048, 1_024, 512, 256, 160, 100)
"""Tokens that a text may keep, tried one after another."""
Rank = Literal[0, 1, 2]


class Text(NamedTuple):
    """Hold a text that may be shortened: where it stands, what it takes, and how the new one gets there.

    The lower the ``rank`` the sooner: what tools return and models say, what users say, what the user asked last.
    """

    at: int
    place: Place
    text: str
    rank: Rank
    size: int
    tool: str = ""
    call: str = ""
    patches: Any = None
    told: bool = False


def truncate(case: Case, draft: Draft, *, stores: bool) -> Draft:
    """Return the draft with long texts shortened and old messages dropped until what is left is small enough."""
    policy = case.policy
    for rank, limit in ((0, policy.goal), (1, policy.bearable)):
        draft = _shorten(case, draft, rank, limit, stores)
    if size_of(case, draft) > policy.bearable:
        draft = _drop(case, draft, policy.bearable)
    draft = _shorten(case, draft, 2, min(policy.due_from - 1, policy.effective), stores)
    return _bare(case, draft) if size_of(case, draft) > policy.effective else draft


def size_of(case: Case, draft: Draft) -> int:
    """Return about how many tokens a draft leaves."""
    gone = draft.dropped.keys()
    stay = (case.balance.cost(record) - gained(draft, record.at) for record in case.path if record.at not in gone)
    return case.fixed + sum(stay) + (draft.page.cost if draft.page else case.led)


def _shorten(case: Case, draft: Draft, rank: int, limit: int, stores: bool) -> Draft:
    """Return the draft with texts up to a rank shortened, no more than it takes to come within the limit."""
    if size_of(case, draft) <= limit:
        return draft
    texts, made = list(_texts(case, draft)), draft
    for cap in CAPS:
        if size_of(case, made) <= limit:
            return made
        made = draft
        for text in texts:
            if text.rank <= rank and text.size > cap:
                made = _cut(case, made, text, cap, stores)
    return made


def _cut(case: Case, draft: Draft, text: Text, cap: int, stores: bool) -> Draft:
    stored = text.text.encode("utf-8", "surrogatepass")
    ref = sha256(stored).hexdigest()
    words = shortened(text.text, cap, case.balance.size, ref if stores else "")
    if words is None:
        return draft
    old = draft.shortened.get(text.at, {}).get(text.place)
    gain = text.size - case.balance.size(words) + (old.gain if old else 0)
    about = ("too long", text.tool, text.call, text.told)
    edit = Shortened("truncated", text.patches(words), words, stored, ref, gain, *about)
    return draft.shortening(text.at, text.place, edit) if gain > (old.gain if old else 0) else draft


def _texts(case: Case, draft: Draft) -> Iterator[Text]:
    """Yield what may be shortened in messages that stay."""
    asked, seen = last_request(case), observed(case.path)
    for number, record in enumerate(case.path):
        if record.at in draft.dropped or record.sealed or instructs(record) or record.kind != "message":
            continue
        done = draft.shortened.get(record.at, {})
        for at, place, words, patches, tool, call in _parts(case, record):
            if place in done or is_summary(record) or any(pin in words for pin in case.policy.pins):
                continue
            users = record.role == "user" and not record.results and number not in seen
            rank: Rank = 2 if number == asked else 1 if users else 0
            told = any(result.place == place for result in record.results)
            yield Text(at, place, words, rank, case.balance.size(words), tool, call, patches, told)


def _parts(case: Case, record: Record) -> Iterator[tuple[int, Place, str, Any, str, str]]:
    """Yield the texts of a message: results, words, and long arguments of calls."""
    editor = case.transcript.format
    for result in record.results:
        if result.plain:

            def told(words: str, result: Any = result) -> tuple[Patch, ...]:
                """Return how a result gets other words."""
                copies = (Patch(copy, words) for copy in result.copies)
                return (Patch(result.place, editor.returned(result, words)), *copies)

            yield record.at, result.place, result.text, told, result.name, result.id
    for passage in record.passages:

        def said(words: str, place: Place = passage.place) -> tuple[Patch, ...]:
            """Return how a passage gets other words."""
            return (Patch(place, words),)

        yield record.at, passage.place, passage.text, said, "", ""
    for call in record.calls:
        yield from _arguments(record, call)


def _arguments(record: Record, call: Call) -> Iterator[tuple[int, Place, str, Any, str, str]]:
    """Yield the longest text among the arguments of a call, whether they are an object or JSON in a text."""
    given = call.arguments
    if not isinstance(given, dict):
        return
    texts = {key: held for key, held in given.items() if isinstance(held, str)}
    if not texts:
        return
    key = max(texts, key=lambda name: len(texts[name]))
    written = isinstance(_at(record.value, call.place), str)

    def asked(words: str) -> tuple[Patch, ...]:
        """Return how an argument gets other words."""
        if written:
            return (Patch(call.place, dumps({**given, key: words}, ensure_ascii=False)),)
        return (Patch((*call.place, key), words),)

    yield record.at, (*call.place, key), texts[key], asked, call.name, call.id


def _at(value: Any, place: Place) -> Any:
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _drop(case: Case, draft: Draft, limit: int) -> Draft:
    """Return the draft without the oldest messages, as few as it takes; the newest stay, and the last request."""
    path, asked = case.path, last_request(case)
    places = joints(path, case.transcript.format.RULES)
    begin = front(path)
    stays = {at for at, record in enumerate(path) if instructs(record) or record.sealed} | {asked}
    best, dropped = draft, dict(draft.dropped)
    for at in range(begin, len(path)):
        if places[at] != "closed" and len(dropped) > len(best.dropped):
            tried = draft._replace(dropped=dict(dropped))
            if _seated(case, tried):
                best = tried
                if size_of(case, best) <= limit:
                    break
        if at not in stays:
            dropped.setdefault(path[at].at, "oldest")
    return best


def _bare(case: Case, draft: Draft) -> Draft:
    """Return the draft without all but what always stays, where the request is among it and nothing waits."""
    path, asked = case.path, last_request(case)
    if asked < 0 or joints(path, case.transcript.format.RULES)[-1] == "closed":
        return draft
    leave = {
        record.at: "oldest"
        for at, record in enumerate(path)
        if at != asked and not instructs(record) and not record.sealed
    }
    bare = draft._replace(dropped={**leave, **draft.dropped})
    return bare if _seated(case, bare) else draft


def _seated(case: Case, draft: Draft) -> bool:
    gone: Mapping[int, str] = {**case.aside, **draft.dropped}
    seat = seat_of(case, gone)
    if seat is None or draft.page:
        return seat is not None
    rules = case.transcript.format.RULES
    stay = [record for record in case.path if record.at not in gone and not instructs(record)]
    return bool(stay) and (not rules.opens or stay[0].role == "user") and not stay[0].results
