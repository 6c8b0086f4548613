"""Connect compactions to summarizers and sessions, and compact the conversation of a session for its turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import session_log, sessions, workers
from ctxkit.app.services.engines import parse_script
from ctxkit.app.services.session_log import record_compaction
from ctxkit.app.services.sessions import apply_marks, history, references
from ctxkit.app.services.stores import open_store
from ctxkit.core.turn.steps import raise_share
from ctxkit.edge import bypass, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.compact.outcome import CompactionOutcome
    from ctxkit.core.compact.policy import CompactionPolicy
    from ctxkit.core.compact.services import TokenCounter
    from ctxkit.core.count.amount import CountOptions
    from ctxkit.core.session.history import HistoryExtent
    from ctxkit.core.summary.summary_input import ChatModel, Summarizer
    from ctxkit.core.turn.steps import TurnStep
    from ctxkit.edge.compact_options import CompactionServices
    from ctxkit.edge.compaction import CompactionLog
    from ctxkit.edge.prompts import TurnOptions
    from ctxkit.edge.request import Call
    from ctxkit.edge.settings import Settings

_LOAD_SECONDS, _ANSWER_SECONDS = 330.0, 660.0
"""Maximum seconds to load a model, and to get its answer: slightly more than the summarizers' own limits."""


def make_summarizer(name: str, settings: Settings, *, typed: bool = False) -> Summarizer | None:
    """Return the summarizer with a name, None for ``extract``, which needs no model; raise UsageError if unknown.

    The model is loaded, or the server contacted, on first use. A key is sent only to an address that is ``typed`` on
    the command line, or set in the environment or the user's file. It is never sent to an address that only a project's
    settings give, trusted or not.
    """
    connect = connect_chat_model(name, settings, typed=typed)
    if connect is None:
        return None
    from ctxkit.core.summary.model_summarizer import make_model_summarizer
    from ctxkit.edge import progress

    return make_model_summarizer(connect, lambda parts: progress.show_steps(parts, "summary"))


def connect_chat_model(
    name: str, settings: Settings, grammar: str = "", *, typed: bool = False
) -> Callable[[], ChatModel] | None:
    """Return a function that opens the chat model of a summarizer's name, None for ``extract``.

    A local model answers in a ``grammar``, that of the template if it is empty.
    """
    kind, _, rest = name.partition(":")
    if name in ("", "extract"):
        return None
    if kind not in ("llama", "cmd", "http", "https") or (kind != "llama" and not rest.strip("/ ")):
        from ctxkit.core.errors import UsageError

        raise UsageError(f"unknown summarizer: {name}", hint="extract, llama[:FILE.gguf], http(s)://... or cmd:PROGRAM")
    sends_key = typed or settings.is_set_by_user("summarizer", name)

    def connect() -> ChatModel:
        """Open the model, which may take long to load."""
        workers.extend_deadline(_LOAD_SECONDS)
        chat_model = _open_chat_model(kind, rest, name, sends_key, grammar)
        return chat_model._replace(ask=workers.wrap_with_deadline(chat_model.ask, _ANSWER_SECONDS))

    return connect


def _open_chat_model(kind: str, rest: str, name: str, sends_key: bool, grammar: str) -> ChatModel:
    """Return the chat model of a summarizer's name."""
    if kind == "cmd":
        from ctxkit.engines.summarizers import command

        return command.open_chat_model(rest)
    if kind != "llama":
        from ctxkit.engines.summarizers import endpoint

        return endpoint.open_chat_model(name) if sends_key else endpoint.open_chat_model(name, {})
    from ctxkit.core.summary.template import build_grammar
    from ctxkit.edge.gguf_search import find_model
    from ctxkit.engines.summarizers import llama

    return llama.open_chat_model(find_model(rest), grammar or build_grammar())


def compaction_services(call: Call, summarizer_name: str | None) -> CompactionServices:
    """Return the services of a compaction: store, summary writer, references and session.

    Without a ``summarizer_name``, use the setting.
    """
    from ctxkit.core.compact.services import make_summary_writer
    from ctxkit.core.redaction.masking import mask_script
    from ctxkit.edge.compact_options import CompactionServices

    settings = call.settings
    # Reports, manifests and warnings name the summarizer, whose address or command may contain a key.
    name, summarize = _choose_summarizer(settings, summarizer_name)
    write = make_summary_writer(mask_script(name), summarize, say.warn, strict=call.is_strict)
    return CompactionServices(
        (lambda: open_store(settings)) if call.stores else None,
        write,
        lambda path, refs: references(settings).hold(path, refs),
        lambda outcome, session, method: _record_outcome(settings, outcome, session, method),
        lambda policy, transcript, session: apply_marks(policy, transcript, session, settings),
        bypass.make_unstored_check(settings, parse_script),
    )


def compact_transcript(
    transcript: Transcript,
    policy: CompactionPolicy,
    counter: TokenCounter,
    services: CompactionServices,
    log: CompactionLog,
) -> CompactionOutcome:
    """Return the outcome of a compaction, whose start is logged."""
    from ctxkit.core.compact.services import CompactionContext
    from ctxkit.core.compact.trigger import compact_if_due

    context = CompactionContext(
        counter,
        services.write,
        services.store is not None,
        on_begin=log.record_start,
        is_unstored=services.is_unstored,
    )
    return compact_if_due(transcript, transcript.encode(transcript.text), policy, context)


def store_removed(outcome: CompactionOutcome, services: CompactionServices, title: str, session: str) -> None:
    """Store what a compaction removed from the conversation of a session, if anything may be stored."""
    from ctxkit.core.compact import outcome as outcomes

    if outcome.result == "compacted" and services.store is not None:
        outcomes.store_removed(outcome, services.store(), title, session)


def _choose_summarizer(settings: Settings, summarizer_name: str | None) -> tuple[str, Summarizer | None]:
    """Return the named summarizer, else that of the settings; ``extract`` if the setting is invalid."""
    from ctxkit.core.errors import SettingsError, UsageError

    if summarizer_name:
        return summarizer_name, make_summarizer(summarizer_name, settings, typed=True)
    name, source = settings.lookup("summarizer")
    try:
        return name, make_summarizer(name, settings)
    except UsageError as error:
        settings.blame(SettingsError(f"{source}: {error}", hint=error.hint))
    return "extract", None


def _record_outcome(settings: Settings, outcome: CompactionOutcome, session: str, method: str) -> None:
    """Record the compaction of a session; the snapshot replaces its history up to now."""
    from ctxkit.core.errors import CtxkitError
    from ctxkit.core.session.history import HistoryExtent, Snapshot

    assert outcome.transcript is not None
    try:
        covers = history(settings).extent(session) or HistoryExtent()
    except (CtxkitError, OSError) as error:
        say.warn(f"the compaction of session {session} is not recorded: {error}")
        return
    after, form = outcome.after, outcome.transcript.format.NAME
    record_compaction(
        settings, Snapshot(session, outcome.content, form, after.messages, after.amount.tokens, method, covers)
    )


class StepTerms(NamedTuple):
    """What all steps of a turn have in common: its call, its options, and how it counts tokens."""

    call: Call
    turn_options: TurnOptions
    count_options: CountOptions
    counter: TokenCounter


def compact_for_turn(
    step: TurnStep, transcript: Transcript, terms: StepTerms, overhead: int, extent: HistoryExtent
) -> Transcript | None:
    """Return the conversation after a step, with a snapshot of it saved; None if the step changes nothing.

    ``overhead`` counts the tokens of the request around the conversation. If the step fails, warn and return None.
    """
    try:
        outcome = compact_for_step(step, transcript, terms, overhead)
    except Exception as error:
        if terms.call.is_strict:
            raise
        from ctxkit.edge.compaction import describe_error

        say.warn(f"the conversation is not compacted: {describe_error(error)}")
        return None
    if outcome is None:
        return None
    _record(outcome, terms, extent)
    return outcome.transcript


def compact_for_step(
    step: TurnStep, transcript: Transcript, terms: StepTerms, overhead: int, fixed: int = 0
) -> CompactionOutcome | None:
    """Return the outcome of a step, which is not recorded in the session; None if the step changes nothing.

    ``overhead`` counts the tokens of the request around the conversation, ``fixed`` those of the prompt and the tools
    within it, which no step changes.
    """
    request, settings = terms.call
    policy = _make_policy(step, transcript, terms, overhead, fixed)
    policy = _keep_rules(policy, transcript)
    policy = sessions.apply_marks(policy, transcript, request.session or "", settings)
    outcome = _compact(transcript, policy, terms)
    return outcome if outcome.result == "compacted" and outcome.transcript is not None else None


def _make_policy(
    step: TurnStep, transcript: Transcript, terms: StepTerms, overhead: int, fixed: int
) -> CompactionPolicy:
    """Return the policy of a step; a compaction that is due for another reason starts at the size that there is.

    Each compaction costs the prompt cache of the provider.
    """
    from ctxkit.edge.compact_options import CompactOptions

    options = CompactOptions(pins=terms.turn_options.pins, force=step == "force")
    if step == "prune":
        options = options._replace(trigger=terms.turn_options.prune, stages="clear")
    policy = options.make_policy(terms.call)._replace(overhead=overhead, is_in_loop=True, fixed=fixed)
    trigger, low_water = (raise_share(share, fixed, policy.effective) for share in (policy.trigger, policy.low_water))
    policy = policy._replace(trigger=trigger, low_water=low_water, block=max(policy.block, trigger))
    size = terms.counter.count_transcript(transcript).amount.high
    if policy.trigger_size > size:
        policy = policy._replace(trigger=(size + overhead) / max(policy.window - policy.reserve, 1))
    return policy


def _keep_rules(policy: CompactionPolicy, transcript: Transcript) -> CompactionPolicy:
    """Return the policy that keeps the user's standing rules, in a sixteenth of the window at most."""
    from ctxkit.core.turn.steps import find_standing_rules

    rules = find_standing_rules(transcript, policy.effective // 4)
    return policy._replace(pins=tuple(dict.fromkeys((*policy.pins, *rules))))


def _compact(transcript: Transcript, policy: CompactionPolicy, terms: StepTerms) -> CompactionOutcome:
    """Return the outcome of a compaction whose removed content is stored."""
    from ctxkit.edge.compaction import CompactionLog

    call, session = terms.call, terms.call.request.session
    services = compaction_services(call, terms.turn_options.summarizer)
    log = CompactionLog(call.events_file, f"session {session}", call.describe())
    outcome = compact_transcript(transcript, policy, terms.counter, services, log)
    store_removed(outcome, services, f"conversation {session}", session or "")
    if outcome.result == "compacted":
        from ctxkit.core.compact.outcome import build_report
        from ctxkit.core.count.conversation import method_of

        log.record_end(outcome, build_report(outcome, policy, method_of(outcome.after.amount, terms.count_options)))
    return outcome


def _record(outcome: CompactionOutcome, terms: StepTerms, extent: HistoryExtent) -> None:
    """Save the snapshot of a compaction; it stands for the history up to ``extent``."""
    from ctxkit.core.count.conversation import method_of
    from ctxkit.core.session.history import Snapshot

    assert outcome.transcript is not None
    request, settings = terms.call
    after, form = outcome.after, outcome.transcript.format.NAME
    method = method_of(after.amount, terms.count_options)
    session_log.record_compaction(
        settings,
        Snapshot(request.session or "", outcome.content, form, after.messages, after.amount.tokens, method, extent),
    )
