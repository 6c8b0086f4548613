"""ctxkit events."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.events.event import EventFilter
from ctxkit.core.events.totals import GROUPINGS, EventSummary, Grouping, Price
from ctxkit.edge import atomic_file, options, out, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import TIME, option
from ctxkit.edge.settings import Settings

if TYPE_CHECKING:
    from ctxkit.core.events.replay import ReadRate


class OutputOptions(NamedTuple):
    """What is printed: totals in groups, in a format, with their cost, and a chart in a file."""

    by: Grouping | None
    as_json: bool
    as_csv: bool
    cost: bool
    plot: str | None
    from_transcripts: bool
    quality: bool
    suggest: bool

    @property
    def adds_up(self) -> bool:
        """Return whether events are added up, not listed."""
        return bool(self.by or self.as_csv or self.cost or self.plot)

    def check_quality(self, *, follow: bool) -> None:
        """Raise UsageError for options that have no meaning for what came after maps."""
        option_name = "--suggest" if self.suggest else "--quality"
        if follow or self.adds_up:
            raise UsageError(f"{option_name} cannot be combined with --follow, --by, --csv, --cost or --plot")
        if self.suggest and (self.quality or self.as_json):
            raise UsageError("--suggest prints a diff: it cannot be combined with --quality or --json")

    def check_replay(self, *, filters: bool) -> None:
        """Raise UsageError for options that have no meaning for past sessions."""
        if self.by or self.as_csv or self.cost or self.quality or self.suggest or filters:
            raise UsageError(
                "--from-transcripts cannot be combined with filters or other outputs than --json and --plot",
                hint="name a directory with fewer sessions, or one session",
            )


def _read_since(_ctx: click.Context, _param: click.Parameter, since: float | None) -> datetime | None:
    return None if since is None else datetime.fromtimestamp(since, UTC)


@click.command("events", cls=Verb)
@click.argument("file", required=False, default="", metavar="[FILE]", type=str)
@option("-f", "--follow", is_flag=True, help="Wait for further events at the end of FILE.")
@option("--command", "commands", multiple=True, metavar="CMD", help="Show only events of CMD, as gate or cargo.")
@option("--session", metavar="SESSION", default="", help="Show only events of this session.")
@option(
    *("--since",), type=TIME, callback=_read_since, metavar="TIME",
    help="Show only events since TIME: a date, a time, or 7d (7 days ago).",
)
@option("--by", type=click.Choice(GROUPINGS), help="Print totals by day, project, model or command.")
@option("--cost", is_flag=True, help="Add what the net savings would cost as input.")
@option("--csv", "as_csv", is_flag=True, help="Print the totals as CSV.")
@option("--plot", metavar="FILE", help="Draw the totals to FILE, as .svg or .html.")
@option("--quality", is_flag=True, help="Show which maps were not enough, by kind and by program.")
@option("--suggest", is_flag=True, help="Suggest settings that would have helped, as a diff of the settings file.")
@option("--from-transcripts", is_flag=True, help="Show what ctxkit would have kept out of past sessions in FILE.")
@options.json_option
@options.collect_values(EventFilter, "event_filter")
@options.collect_values(OutputOptions, "output_options")
def command(file: str, follow: bool, event_filter: EventFilter, output_options: OutputOptions) -> Exit:
    """Show what commands logged, and add up what they kept out of windows.

    FILE is a file that --events or CTXKIT_EVENTS named; without FILE it is the one that
    the setting names. Each event is a line. With --by, --csv, --cost or --plot the output
    is totals: tokens that were kept out, compared with plain truncation to 2,000 lines and
    50 KB, less maps, and less the content that was read back.

    With --from-transcripts, FILE is a session of an agent host or a directory with sessions,
    by default those of Claude Code, Codex, Gemini CLI and pi. The output is what gate,
    deduplication and masking would have kept out, by program.

    \b
    $ ctxkit events log.jsonl --since 7d
    $ ctxkit events log.jsonl --by command
    $ ctxkit events log.jsonl --by day --json
    $ ctxkit events log.jsonl --quality
    $ ctxkit events log.jsonl --suggest
    $ ctxkit events --from-transcripts chat.jsonl
    """
    config = settings.load()
    if output_options.from_transcripts:
        output_options.check_replay(filters=follow or event_filter != EventFilter())
        return _write_replay(file, output_options, config)
    file = file or config["events"]
    if not file:
        raise UsageError("no events file is named", hint="name FILE, or set CTXKIT_EVENTS; gate --events writes one")
    if output_options.quality or output_options.suggest:
        output_options.check_quality(follow=follow)
        return _write_quality(file, event_filter, suggest=output_options.suggest, as_json=output_options.as_json)
    if not output_options.adds_up:
        return _list_events(file, event_filter, follow=follow, as_json=output_options.as_json)
    if follow:
        raise UsageError("--follow shows events, not totals", hint="leave out --by, --csv, --cost and --plot")
    return _write_totals(file, event_filter, output_options, config)


def _list_events(file: str, event_filter: EventFilter, *, follow: bool, as_json: bool) -> Exit:
    """Print each event as a line."""
    from ctxkit.core.events.totals import format_event
    from ctxkit.edge.events import read_events

    broken = 0

    def format_events() -> Iterator[bytes]:
        """Yield the lines of the events that the filter accepts."""
        nonlocal broken
        for line, event in read_events(file, follow=follow):
            broken += event is None
            if event is not None and event_filter.accepts(event):
                yield (line if as_json else format_event(event).encode("utf-8", "replace")) + b"\n"

    if follow:
        for text in format_events():
            out.write((text,))
    else:
        out.write(format_events())
    _warn_of_broken(broken)
    return Exit.DONE


def _warn_of_broken(broken: int) -> None:
    if broken:
        say.warn(f"{broken:,} {'line is' if broken == 1 else 'lines are'} not an event, and skipped")


def _write_totals(file: str, event_filter: EventFilter, output_options: OutputOptions, config: Settings) -> Exit:
    """Print totals as a table, as JSON or as CSV, and draw them."""
    from ctxkit.core.events import totals

    grouping = output_options.by or "day"
    render = atomic_file.find_chart_renderer(output_options.plot) if output_options.plot else None
    prices = _PriceTable(config)
    summary = EventSummary(grouping, prices.find)
    broken = _add_events(file, event_filter, summary)
    groups = summary.groups()
    if render and output_options.plot:
        atomic_file.write_chart(output_options.plot, render(totals.make_chart(grouping, groups)))
    if output_options.as_json:
        sums = {"by": grouping, "broken_lines": broken, **summary.total.describe(), "prices": prices.describe()}
        out.write_json({**sums, "groups": [group.describe() for group in groups]})
    elif output_options.as_csv:
        out.write_text(totals.format_csv(grouping, groups))
    elif output_options.by or output_options.cost:
        out.write_text(totals.format_table(grouping, groups, summary.total, cost=output_options.cost))
        if output_options.cost:
            _report_prices(prices)
    _warn_of_broken(broken)
    return Exit.DONE


def _add_events(file: str, event_filter: EventFilter, summary: EventSummary) -> int:
    """Add the events that the filter accepts; return how many lines are no events."""
    from ctxkit.edge.events import read_events

    broken = 0
    for _, event in read_events(file):
        broken += event is None
        if event is not None and event_filter.accepts(event):
            summary.add(event)
    return broken


def _write_replay(path: str, output_options: OutputOptions, config: Settings) -> Exit:
    """Print what would have been kept out of past sessions, and draw it."""
    from ctxkit.app.hosts import transcript_replay
    from ctxkit.core.events import replay

    render = atomic_file.find_chart_renderer(output_options.plot) if output_options.plot else None
    past = transcript_replay.replay_transcripts(path, config)
    rate = _find_read_rate(config)
    rows = replay.add_reads(past.rows, rate)
    if render and output_options.plot:
        atomic_file.write_chart(output_options.plot, render(replay.make_replay_chart(rows)))
    if output_options.as_json:
        facts = {"sessions": past.sessions, "skipped": past.skipped, "method": "exact" if past.exact else "estimate"}
        source = "events" if rate.is_measured else "assumed"
        total = replay.sum_rows(rows, "total").describe()
        rates = {"read_rate": round(rate.share, 4), "read_rate_source": source}
        out.write_json({**facts, **rates, **total, "groups": [row.describe() for row in rows]})
    elif rows:
        out.write_text(replay.format_replay(rows, rate, exact=past.exact))
    say.inform(replay.describe_sessions(past.sessions, past.skipped))
    return Exit.DONE if past.sessions else Exit.NO


def _write_quality(file: str, event_filter: EventFilter, *, suggest: bool, as_json: bool) -> Exit:
    """Print what came after maps, or the settings that it suggests."""
    from ctxkit.core.events.quality import QualityMeter, describe_quality, format_quality
    from ctxkit.edge.events import read_events

    meter, broken = QualityMeter(), 0
    for _, event in read_events(file):
        broken += event is None
        if event is not None and event_filter.accepts(event):
            meter.add(event)
    uses = meter.finish()
    if suggest:
        from ctxkit.core.events.quality import suggest_exclusions, suggest_kinds, suggest_targets
        from ctxkit.edge.settings_changes import suggest_settings

        kinds = {program: kind for program, kind in suggest_kinds(uses).items() if _is_type(kind)}
        if diff := suggest_settings(suggest_exclusions(uses), suggest_targets(uses), kinds):
            out.write_listing(diff)
        else:
            say.inform("no setting is suggested")
    elif as_json:
        out.write_json({**describe_quality(uses), "broken_lines": broken})
    elif uses:
        out.write_text(format_quality(uses))
    else:
        say.inform("no event is about a map")
    _warn_of_broken(broken)
    return Exit.DONE


def _is_type(kind: str) -> bool:
    """Return whether a kind in an event is one that ``--type`` takes."""
    from ctxkit.edge.option_values import check_content_type

    try:
        return bool(check_content_type(kind))
    except UsageError:
        return False


def _find_read_rate(config: Settings) -> "ReadRate":
    """Return the share of what maps keep out that is read back, by the user's own events if there are enough."""
    from ctxkit.core.events.replay import make_read_rate
    from ctxkit.edge.events import read_events

    summary, maps = EventSummary("day"), 0
    if config["events"] and os.path.exists(config["events"]):
        for _, event in read_events(config["events"]):
            if event is not None:
                maps += event.facts.get("result") == "briefing"
                summary.add(event)
    return make_read_rate(summary.total.kept_out - summary.total.maps, summary.total.brought_back, maps)


def _report_prices(prices: "_PriceTable") -> None:
    """Print each price with its source and date."""
    for price in prices.describe():
        text = f"{price['model']}: ${price['input_price']:g} for a million input tokens"
        say.inform(f"{text} ({price['source']}, {price['as_of'] or 'no date'})")


class _PriceTable:
    """Finds the input prices of models in the settings or in the table of prices, and remembers them."""

    def __init__(self, config: Settings) -> None:
        self._config = config
        self._prices: dict[str, Price | None] = {}

    def find(self, model: str) -> Price | None:
        """Return the price of a model: that of the settings, else that of the table; None without either."""
        if model not in self._prices:
            self._prices[model] = self._read(model)
        return self._prices[model]

    def describe(self) -> list[dict[str, Any]]:
        """Return the prices that were used, with their days."""
        used = ((model, price) for model, price in sorted(self._prices.items()) if price)
        return [
            {
                "model": model or "-",
                "input_price": price.amount,
                "as_of": price.as_of or None,
                "source": price.source,
            }
            for model, price in used
        ]

    def _read(self, model: str) -> Price | None:
        price = self._config.lookup_for_model(model, "input_price") or self._config.lookup("input_price")
        if price.value:
            day = self._config.lookup_for_model(model, "price_date") or self._config.lookup("price_date")
            return Price(price.value, day.value, price.source)
        from ctxkit.core.models.offers import find_price

        known = find_price(model)
        return Price(known.amount, known.as_of, known.source) if known else None
