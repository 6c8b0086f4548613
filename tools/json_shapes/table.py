"""Every shape of --json: its command, when the command prints it, its layout, and its types."""

from typing import Any, Literal, NamedTuple

from tools.json_shapes import content, conversations, requests, sessions, workspace

Layout = Literal["object", "lines", "array"]
Stream = Literal["stdout", "stderr"]


class JsonShape(NamedTuple):
    """A shape: the name of its schema, its command, the options that select it, its layout, and its types.

    An object has one of the ``types``, and so has each line or element. ``stream`` is where the command prints it:
    stderr if stdout carries other data.
    """

    name: str
    command: str
    options: str
    layout: Layout
    types: tuple[type[Any], ...]
    stream: Stream = "stdout"


SHAPES = (
    JsonShape("brief", "brief", "", "object", (content.ContentMapShape,)),
    JsonShape("brief-directory", "brief", "a directory", "object", (content.DirectoryMapShape,)),
    JsonShape("brief-each", "brief", "--each", "lines", (content.RecordMapShape, content.RecordErrorShape)),
    JsonShape("budget", "budget", "", "object", (requests.ContextUsageShape,)),
    JsonShape("cache-gc", "cache gc", "", "object", (content.SweptStoreShape,)),
    JsonShape("cache-list", "cache list", "", "lines", (content.ListedContentShape,)),
    JsonShape("cache-put", "cache put", "", "object", (content.PutContentShape,)),
    JsonShape("cache-search", "cache search", "", "lines", (content.SearchHitShape,)),
    JsonShape("cache-stat", "cache stat", "", "object", (content.StoreTotalsShape,)),
    JsonShape("cache-verify", "cache verify", "", "lines", (content.DamagedContentShape,)),
    JsonShape("call", "call", "", "object", (requests.CallAnswerShape,)),
    JsonShape("compact", "compact", "", "object", (conversations.CompactionReportShape,), "stderr"),
    JsonShape("compact-check", "compact", "--check", "lines", (conversations.BrokenRuleShape,)),
    JsonShape("count", "count", "", "lines", (conversations.CountedContentShape,)),
    JsonShape("count-calibrate", "count", "--calibrate", "object", (workspace.CalibrationShape,)),
    JsonShape("count-component", "count", "--by component", "lines", (conversations.CountedComponentShape,)),
    JsonShape(
        "count-each", "count", "--each", "lines", (conversations.CountedRecordShape, content.RecordErrorShape)
    ),
    JsonShape("count-line", "count", "--by line", "lines", (conversations.CountedLineShape,)),
    JsonShape("count-message", "count", "--by message", "lines", (conversations.CountedMessageShape,)),
    JsonShape("dedupe", "dedupe", "", "array", (workspace.FindingShape,)),
    JsonShape("dedupe-budget", "dedupe", "--budget", "object", (workspace.WorkspaceBudgetShape,)),
    JsonShape("dedupe-statistics", "dedupe", "--statistics", "array", (workspace.RuleCountShape,)),
    JsonShape("doctor", "doctor", "", "object", (workspace.CheckupShape,)),
    JsonShape("doctor-purge", "doctor", "--purge", "object", (workspace.PurgeShape,)),
    JsonShape(
        "edit-list",
        "edit list",
        "",
        "lines",
        (conversations.MessageRangeShape, conversations.ConversationTotalShape),
    ),
    JsonShape("edit-list-suggest", "edit list", "--suggest", "lines", (conversations.SuggestedRangeShape,)),
    JsonShape("edit-remove", "edit remove", "", "object", (conversations.RemovedRangeShape,)),
    JsonShape("edit-restore", "edit restore", "", "object", (conversations.RestoredRangeShape,)),
    JsonShape("edit-summarize", "edit summarize", "", "object", (conversations.RemovedRangeShape,)),
    JsonShape("events", "events", "", "lines", (workspace.EventShape,)),
    JsonShape("events-quality", "events", "--quality", "object", (workspace.MapQualityShape,)),
    JsonShape("events-totals", "events", "--by, --cost or --plot", "object", (workspace.EventTotalsShape,)),
    JsonShape("events-transcripts", "events", "--from-transcripts", "object", (workspace.ReplayShape,)),
    JsonShape("gate", "gate", "", "object", (content.GatedContentShape,)),
    JsonShape("gate-each", "gate", "--each", "lines", (content.GatedRecordShape, content.RecordErrorShape)),
    JsonShape("init-list", "init", "--list", "lines", (workspace.HostStateShape,)),
    JsonShape("models-list", "models list", "", "lines", (workspace.ListedModelShape,)),
    JsonShape("models-rm", "models rm", "", "object", (workspace.ModelRemovalShape,)),
    JsonShape("models-show", "models show", "", "object", (workspace.ShownModelShape,)),
    JsonShape("models-update", "models update", "", "object", (workspace.ModelUpdateShape,)),
    JsonShape("prompt-build", "prompt build", "", "object", (requests.BuiltPromptShape,)),
    JsonShape("prompt-diff", "prompt diff", "", "object", (requests.PromptDifferenceShape,)),
    JsonShape("prompt-lint", "prompt lint", "", "lines", (requests.VolatileTextShape,)),
    JsonShape("run", "run", "", "object", (content.GatedRunShape,)),
    JsonShape("session-append", "session append", "", "object", (sessions.AppendedMessagesShape,)),
    JsonShape("session-history", "session history", "", "lines", (sessions.HistoryEntryShape,)),
    JsonShape("session-list", "session list", "", "lines", (sessions.SessionStateShape,)),
    JsonShape("session-status", "session status", "", "object", (sessions.SessionStateShape,)),
    JsonShape("snapshot-diff", "snapshot diff", "", "object", (sessions.ConversationDifferenceShape,)),
    JsonShape("snapshot-list", "snapshot list", "", "lines", (sessions.SnapshotFactsShape,)),
    JsonShape("snapshot-load", "snapshot load", "", "object", (sessions.SnapshotFactsShape,)),
    JsonShape("snapshot-promote", "snapshot promote", "", "object", (sessions.PromotionShape,)),
    JsonShape("snapshot-resume", "snapshot resume", "", "object", (sessions.ResumedConversationShape,)),
    JsonShape("snapshot-save", "snapshot save", "", "object", (sessions.SnapshotFactsShape,)),
    JsonShape("tools-search", "tools search", "", "object", (requests.FoundToolsShape,)),
    JsonShape("tools-select", "tools select", "", "object", (requests.SelectedToolsShape,)),
    JsonShape("truncate", "truncate", "", "object", (content.TruncatedContentShape,)),
    JsonShape("trust", "trust", "", "object", (workspace.DirectoryTrustShape,)),
    JsonShape("trust-list", "trust", "--list", "object", (workspace.TrustedDirectoriesShape,)),
    JsonShape("turn", "turn", "", "object", (requests.TurnReportShape,)),
    JsonShape("turn-response", "turn", "--response", "object", (requests.TurnAnswerShape,)),
    JsonShape("usage", "usage", "", "object", (requests.UsageReportShape,)),
)
"""Every shape, by the name of its schema in ctxkit/schema."""
