"""How long a provider keeps a prompt in its cache."""

SHORT_CACHE, LONG_CACHE = 300, 3600
"""Seconds after its last use for which Anthropic keeps a prompt in one of its two caches; it reports writes apart:
platform.claude.com/docs/en/build-with-claude/prompt-caching."""


def find_cache_seconds(short_write: int, long_write: int) -> int:
    """Return for how many seconds a prompt stays in the cache after a request that wrote tokens, 0 if that is unknown.

    Reads do not show it: OpenAI keeps what it reads for minutes or for a day.
    """
    if long_write:
        return LONG_CACHE
    return SHORT_CACHE if short_write else 0
