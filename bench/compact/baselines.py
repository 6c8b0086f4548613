"""What others do to fit a conversation in: the same size, so that only the choice differs."""

from collections.abc import Callable, Sequence
from typing import Any

from bench.compact.packages import importing
from bench.compact.shapes import Turn, openai
from bench.compact.simple_policy import keep_simply

Size = Callable[[Any], int]
"""Return the tokens of messages of Chat Completions."""


def keep_last(turns: Sequence[Turn], room: int, size: Size) -> Any:
    """Keep the system prompt and the last messages that fit."""
    system = [turn for turn in turns[:1] if turn.role == "system"]
    kept: list[Turn] = []
    for turn in reversed(turns[len(system) :]):
        if size(openai([*system, turn, *kept])) > room:
            break
        kept.insert(0, turn)
    return openai([*system, *kept])


def truncate_head(turns: Sequence[Turn], room: int, size: Size) -> Any:
    """Keep the beginning, as head does: the first messages that fit, and as much as fits of the words of the next."""
    kept: list[Turn] = []
    for turn in turns:
        if size(openai([*kept, turn])) > room:
            share = next((n for n in range(15, 0, -1) if size(openai([*kept, _part(turn, n / 16)])) <= room), 0)
            return openai([*kept, _part(turn, share / 16)] if share else kept)
        kept.append(turn)
    return openai(kept)


def _part(turn: Turn, share: float) -> Turn:
    return Turn(turn.role, turn.text[: int(len(turn.text) * share)])


def trim_messages(turns: Sequence[Turn], room: int, size: Size) -> Any:
    """Keep what LangChain's trim_messages keeps with the settings that its documentation gives for chats."""
    with importing("langchain-core"):
        from langchain_core.messages import convert_to_messages, convert_to_openai_messages
        from langchain_core.messages import trim_messages as trim

    kept = trim(
        convert_to_messages(openai(turns)),
        max_tokens=room,
        token_counter=lambda messages: size(convert_to_openai_messages(messages)),
        strategy="last",
        start_on="human",
        end_on=("human", "tool", "ai"),
        include_system=True,
    )
    return convert_to_openai_messages(kept)


BASELINES: dict[str, Callable[[Sequence[Turn], int, Size], Any]] = {
    "keep-last": keep_last,
    "truncate-head": truncate_head,
    "trim_messages": trim_messages,
    "simple policy": keep_simply,
}
