"""Every shape of --json: its command, when the command prints it, its layout, and its types."""

from typing import Any, Literal, NamedTuple

from ctxkit.json_shapes import content, conversations, requests, workspace

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
    JsonShape("brief", "brief", "", "object", (content.ContentMap,)),
    JsonShape("brief-directory", "brief", "a directory", "object", (content.DirectoryMap,)),
    JsonShape("brief-each", "brief", "--each", "lines", (content.RecordMap, content.RecordError)),
    JsonShape("budget", "budget", "", "object", (requests.ContextUsage,)),
    JsonShape("cache-gc", "cache gc", "", "object", (content.SweptStore,)),
    JsonShape("cache-list", "cache list", "", "lines", (content.ListedContent,)),
    JsonShape("cache-put", "cache put", "", "object", (content.PutContent,)),
    JsonShape("cache-search", "cache search", "", "lines", (content.SearchHit,)),
    JsonShape("cache-stat", "cache stat", "", "object", (content.StoreTotals,)),
    JsonShape("cache-verify", "cache verify", "", "lines", (content.DamagedContent,)),
    JsonShape("call", "call", "", "object", (requests.CallAnswer,)),
    JsonShape("compact", "compact", "", "object", (conversations.CompactionReport,), "stderr"),
    JsonShape("compact-check", "compact", "--check", "lines", (conversations.BrokenRule,)),
    JsonShape("count", "count", "", "lines", (conversations.CountedContent,)),
    JsonShape("count-calibrate", "count", "--calibrate", "object", (workspace.Calibration,)),
    JsonShape("count-component", "count", "--by component", "lines", (conversations.CountedComponent,)),
    JsonShape("count-each", "count", "--each", "lines", (conversations.CountedRecord, content.RecordError)),
    JsonShape("count-line", "count", "--by line", "lines", (conversations.CountedLine,)),
    JsonShape("count-message", "count", "--by message", "lines", (conversations.CountedMessage,)),
    JsonShape("dedupe", "dedupe", "", "array", (workspace.Finding,)),
    JsonShape("dedupe-budget", "dedupe", "--budget", "object", (workspace.WorkspaceBudget,)),
    JsonShape("dedupe-statistics", "dedupe", "--statistics", "array", (workspace.RuleCount,)),
    JsonShape("doctor", "doctor", "", "object", (workspace.Checkup,)),
    JsonShape(
        "edit-list", "edit list", "", "lines", (conversations.MessageRange, conversations.ConversationTotal)
    ),
    JsonShape("edit-list-suggest", "edit list", "--suggest", "lines", (conversations.SuggestedRange,)),
    JsonShape("edit-remove", "edit remove", "", "object", (conversations.RemovedRange,)),
    JsonShape("edit-restore", "edit restore", "", "object", (conversations.RestoredRange,)),
    JsonShape("edit-summarize", "edit summarize", "", "object", (conversations.RemovedRange,)),
    JsonShape("events", "events", "", "lines", (workspace.Event,)),
    JsonShape("events-totals", "events", "--by, --cost or --plot", "object", (workspace.EventTotals,)),
    JsonShape("gate", "gate", "", "object", (content.GatedContent,)),
    JsonShape("gate-each", "gate", "--each", "lines", (content.GatedRecord, content.RecordError)),
    JsonShape("init-list", "init", "--list", "lines", (workspace.HostState,)),
    JsonShape("models-list", "models list", "", "lines", (workspace.ListedModel,)),
    JsonShape("models-show", "models show", "", "object", (workspace.ShownModel,)),
    JsonShape("models-update", "models update", "", "object", (workspace.ModelUpdate,)),
    JsonShape("prompt-build", "prompt build", "", "object", (requests.BuiltPrompt,)),
    JsonShape("prompt-diff", "prompt diff", "", "object", (requests.PromptDifference,)),
    JsonShape("prompt-lint", "prompt lint", "", "lines", (requests.VolatileText,)),
    JsonShape("run", "run", "", "object", (content.GatedRun,)),
    JsonShape("session-append", "session append", "", "object", (conversations.AppendedMessages,)),
    JsonShape("session-history", "session history", "", "lines", (conversations.HistoryEntry,)),
    JsonShape("session-list", "session list", "", "lines", (conversations.SessionState,)),
    JsonShape("session-status", "session status", "", "object", (conversations.SessionState,)),
    JsonShape("snapshot-diff", "snapshot diff", "", "object", (conversations.ConversationDifference,)),
    JsonShape("snapshot-list", "snapshot list", "", "lines", (conversations.SnapshotFacts,)),
    JsonShape("snapshot-load", "snapshot load", "", "object", (conversations.SnapshotFacts,)),
    JsonShape("snapshot-promote", "snapshot promote", "", "object", (conversations.Promotion,)),
    JsonShape("snapshot-resume", "snapshot resume", "", "object", (conversations.ResumedConversation,)),
    JsonShape("snapshot-save", "snapshot save", "", "object", (conversations.SnapshotFacts,)),
    JsonShape("tools-search", "tools search", "", "object", (requests.FoundTools,)),
    JsonShape("tools-select", "tools select", "", "object", (requests.SelectedTools,)),
    JsonShape("truncate", "truncate", "", "object", (content.TruncatedContent,)),
    JsonShape("trust", "trust", "", "object", (workspace.DirectoryTrust,)),
    JsonShape("trust-list", "trust", "--list", "object", (workspace.TrustedDirectories,)),
    JsonShape("turn", "turn", "", "object", (requests.TurnReport,)),
    JsonShape("turn-response", "turn", "--response", "object", (requests.TurnAnswer,)),
    JsonShape("usage", "usage", "", "object", (requests.UsageReport,)),
)
"""Every shape, by the name of its schema in ctxkit/schema."""
