"""Define the shared options of a call, and resolve them under the settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ctxkit.core.errors import SettingsError, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import Label, mask_title, title_of
from ctxkit.core.text.retrieval_hint import Hint
from ctxkit.core.tokens.budget import ASSUMED_LOCAL_WINDOW, ASSUMED_WINDOW, Budget
from ctxkit.core.tokens.vocabulary import Vocabulary
from ctxkit.edge import option_values
from ctxkit.edge.option_values import (
    DEFAULT_RESERVE,
    check_content_type,
    find_model,
    make_window_error,
    parse_assumed_reserve,
    parse_option_reserve,
    read_hint,
    read_setting,
    vocabulary_of,
)
from ctxkit.edge.settings import Setting, Settings

if TYPE_CHECKING:
    from ctxkit.core.brief.custom_kinds import KindRule
    from ctxkit.core.gate.decision import GatePolicy
    from ctxkit.core.models.lookup import Model
    from ctxkit.core.text.shell_script import FocusComment
    from ctxkit.edge.redaction import Redaction


class CliRequest(NamedTuple):
    """The values of the shared options, as typed."""

    model: str | None = None
    window: int | None = None
    reserve: str | None = None
    used: int | None = None
    tokenizer: str | None = None
    session: str | None = None
    limit: int | None = None
    name: str | None = None
    content_type: str | None = None
    focus: str | None = None
    hint: str | None = None
    no_store: bool = False
    strict: bool = False
    events: str | None = None
    admit: bool = False
    assumed: bool = False
    """Whether ``window`` is an assumed size because the window is unknown."""
    redact: bool = False
    again: bool = False

    def window_flags(self) -> str:
        """Return the window options as typed, for a command that is printed."""
        from ctxkit.core.text.shell import quote_word

        names = ("model", "window", "reserve", "used", "tokenizer", "session")
        words = [(name, quote_word(str(getattr(self, name) or ""))) for name in names]
        return "".join(f" --{name} {word}" for name, word in words if word)

    def redaction(self, settings: Settings) -> Redaction:
        """Return the redaction of the content, on if requested or set."""
        from ctxkit.edge.redaction import Redaction

        return Redaction(on=self.redact or settings["redact"])

    def known_model(self, settings: Settings) -> Model | None:
        """Return the model in use, None if it is not named or not in the table; the settings do not change it."""
        name = self.model_name(settings)
        return find_model(name) if name else None

    def model_name(self, settings: Settings) -> str:
        """Return the name of the model in use, "" if none is named."""
        return str(self.model or settings["model"])

    def describe_call(self, settings: Settings) -> dict[str, str]:
        """Return the session, the turn and the model of the call for events, as far as they are known."""
        names = {
            "session": self.session or settings["session"],
            "turn": settings["turn"],
            "model": self.model_name(settings),
        }
        return {key: name for key, name in names.items() if name}

    def budget(self, settings: Settings) -> Budget:
        """Return the budget: flags, then settings, then the model's own window.

        Raise UsageError if the window is unknown.
        """
        size = self.known_window(settings)
        if not size:
            raise make_window_error(self.model_name(settings))
        return Budget(
            size,
            self._reserve_tokens(settings, size),
            self.used or 0,
            option_values.lookup_size(settings, "compact_trigger"),
            option_values.lookup_size(settings, "hard_block"),
            int(option_values.lookup_size(settings, "briefing_cap")),
            self.assumed,
        )

    def known_window(self, settings: Settings) -> int:
        """Return the window in tokens: the flag, then settings, then the model's own; 0 if unknown.

        That of a project is limited.
        """
        setting = self._find_window(settings)
        if not settings.project.find_limited_key(setting):
            return int(setting.value)
        return option_values.limit_window(
            settings, setting, self._find_window(settings.without_project()).value, self._usual_window(settings)
        )

    def _find_window(self, settings: Settings) -> Setting:
        name = self.model_name(settings)
        if self.window:
            return Setting(self.window, "--window")
        setting = settings.window(name, typed=bool(self.model))
        if setting.value:
            return setting
        known = self.known_model(settings)
        return Setting(known.window, known.source) if known else settings.window(name)

    def _usual_window(self, settings: Settings) -> int:
        """Return the tokens that are assumed if the window is unknown."""
        from ctxkit.core.models.model_aliases import is_local

        return ASSUMED_LOCAL_WINDOW if is_local(self.model_name(settings)) else ASSUMED_WINDOW

    def assume_window(self, settings: Settings) -> CliRequest:
        """Return the request with a window of usual size, if its own is unknown."""
        if self.known_window(settings):
            return self
        return self._replace(window=self._usual_window(settings), assumed=True)

    def require_window(self, settings: Settings) -> None:
        """Raise UsageError if the window is unknown or only assumed."""
        if self.assumed or not self.known_window(settings):
            raise make_window_error(self.model_name(settings))

    def session_name(self, settings: Settings) -> str:
        """Return the name of the session of the call, "" for none; raise UsageError for an invalid name."""
        if self.session is None and not settings["session"]:
            return ""
        from ctxkit.core.session.ledger import check_session_name

        if self.session is None:
            name = read_setting(settings, settings.lookup("session"), check_session_name) or ""
        else:
            name = check_session_name(self.session)
        if name and self.used is not None:
            hint = f"its ledger counts the tokens; to correct it: ctxkit session reset {name} --used {self.used}"
            raise UsageError(f"--used cannot be combined with session {name}", hint=hint)
        return name

    def vocabulary(self, settings: Settings) -> Vocabulary:
        """Return the vocabulary to count with; an estimate has the factors learned from receipts."""
        base = self._named_vocabulary(settings)
        taught = None if base.exact else settings["calibration"].get(base.name)
        if taught is None:
            return base
        from ctxkit.core.tokens.estimate import Factor

        return Factor(**taught).apply_to(base)

    def _named_vocabulary(self, settings: Settings) -> Vocabulary:
        if self.tokenizer:
            return vocabulary_of(self.tokenizer)
        setting = settings.tokenizer(self.model_name(settings))
        if setting.value and (result := read_setting(settings, setting, vocabulary_of)):
            return result
        known = self.known_model(settings)
        return vocabulary_of(known.tokenizer if known else "estimate")

    def _reserve_tokens(self, settings: Settings, size: int) -> int:
        """Return the reserve in tokens: the flag, the setting, the output limit, or a fifth of the window.

        A reserve too large for an assumed window is not an error: a fifth replaces it.
        """
        read = parse_assumed_reserve if self.assumed else parse_option_reserve
        if self.reserve:
            return read(self.reserve, size)
        setting = settings.lookup_first("reserve", "max_output_tokens")[1]
        tokens = read_setting(settings, setting, lambda text: read(str(text), size)) if setting.value else None
        if tokens is None:
            return parse_option_reserve(DEFAULT_RESERVE, size)
        if not settings.project.find_limited_key(setting):
            return tokens
        own_settings = settings.without_project()
        own_size = self.known_window(own_settings) or self._usual_window(settings)
        own = Budget(own_size, self._reserve_tokens(own_settings, own_size))
        return option_values.limit_reserve(settings, setting, tokens, size, own)

    def briefing_target(self, settings: Settings, default: int) -> int:
        """Return the target of a briefing in tokens: by the window if one is named, else ``default``."""
        is_window_named = self.window or self.model_name(settings) or settings.window().value
        return self.budget(settings).briefing_target(self.limit) if is_window_named else default

    def take_focus(self, comment: FocusComment) -> CliRequest:
        """Return the request with the focus that a comment states, unless --focus is given."""
        return self._replace(focus=comment.focus) if comment.focus and self.focus is None else self

    def title(self, name: str) -> str:
        """Return the title of the content: --name, else ``name``."""
        return title_of(self.name or name)

    def resolve_hint(self, settings: Settings, default: str, name: str) -> Hint:
        """Return the hint: --hint, else the setting unless it is the default, else ``default``.

        Its name is --name, else ``name``, unchanged: it must identify the file.
        """
        setting = settings.lookup("hint")
        if self.hint or setting.source == "default":
            return Hint(read_hint(self.hint or default), name=self.name or name)
        return Hint(read_setting(settings, setting, read_hint) or read_hint(default), name=self.name or name)

    def resolve_content_type(self) -> str:
        """Return the kind or language that --type names, "" for none."""
        return check_content_type(self.content_type)

    def find_kind_rule(self, settings: Settings, name: str) -> KindRule | None:
        """Return the user's rule for content with a name, or None; report a rule whose type is unknown."""
        if not settings["kinds"]:
            return None
        from ctxkit.core.brief.custom_kinds import find_kind_rule, parse_kind_rules

        rule = find_kind_rule(parse_kind_rules(settings["kinds"]), self.name or name)
        if rule is None:
            return None
        try:
            return rule._replace(content_type=check_content_type(rule.content_type))
        except UsageError as error:
            from ctxkit.core.text.escapes import escape_line

            message = f"{settings.lookup('kinds').source}: {escape_line(f'kinds.{rule.name}: {error}')}"
            settings.blame(SettingsError(message, hint=error.hint))
            return rule._replace(content_type="")

    def gate_policy(
        self, settings: Settings, name: str, preface: Callable[[], str] = lambda: "", *, display_name: str = ""
    ) -> GatePolicy:
        """Return the gate's policy for content; lists show ``display_name`` unless --name is given."""
        from ctxkit.core.gate.decision import GatePolicy

        rule = self.find_kind_rule(settings, name)
        title, label = self.title(name), mask_title(self.name or display_name or name)
        return GatePolicy(
            self.budget(settings),
            self.vocabulary(settings),
            self.resolve_hint(settings, "ctxkit", name),
            self.limit,
            Label("" if label == "stdin" else label, session=self.session or ""),
            self.resolve_content_type() or (rule.content_type if rule else ""),
            preface,
            self.strict or settings["strict"],
            focus=settings["focus"] if self.focus is None else self.focus,
            ignore_hard_block=self.admit,
            briefing_title=title if title != label else "",
            rule=rule,
            agent=settings["agent_id"],
        )


class Call(NamedTuple):
    """A call of a command: its request, and the settings under which that is resolved."""

    request: CliRequest
    settings: Settings

    @property
    def is_strict(self) -> bool:
        """Return whether a part that fails is an error."""
        return bool(self.request.strict or self.settings["strict"])

    @property
    def stores(self) -> bool:
        """Return whether content may be stored."""
        return bool(self.settings["store"]) and not self.request.no_store

    @property
    def events_file(self) -> str:
        """Return the file of events, "" for none."""
        return str(self.request.events or self.settings["events"] or "")

    @property
    def asks_for_whole(self) -> bool:
        """Return whether content passes whole that the session has in context already."""
        return bool(self.request.again or self.settings["again"])

    def describe(self) -> dict[str, str]:
        """Return what each event says of the call, as far as it is known; nothing without a file of events."""
        return self.request.describe_call(self.settings) if self.events_file else {}
