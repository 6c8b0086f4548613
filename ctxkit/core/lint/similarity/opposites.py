"""Define the words that exclude each other."""

from ctxkit.core.lint.similarity.vocabulary import polar_form

_CONTRARY = """always never; before after; enable disable; enabled disabled; allow deny; allowed denied;
    allow forbid; allowed forbidden; allowed prohibited; permitted prohibited; permitted forbidden;
    true false; on off; yes no; include exclude; required optional; accept reject; tabs spaces;
    single double; merge rebase; squash merge; ascending descending; uppercase lowercase; upper lower;
    automatic manual; automatically manually; serial parallel; sequentially parallel; npm yarn;
    npm pnpm; yarn pnpm; npm bun; pip uv; pip poetry; jest vitest; eslint biome; prettier biome;
    webpack vite; synchronous asynchronous; sync async; named default;"""
_OTHER = """increase decrease; show hide; enter exit; enter leave; move copy; more less; most least;
    add remove; start stop; open close; opened closed; read write; public private; internal external;
    client server; frontend backend; staging production; dev prod;
    development production; test production; local remote; input output; first last; min max;
    minimum maximum; above below; left right; top bottom; up down; push pull; upload download;
    import export; encode decode; encrypt decrypt; high low; higher lower; big small; old new; older newer;
    early late; success failure; pass fail; passes fails; horizontal vertical; light dark; day night;
    morning evening; static dynamic; commit revert; install uninstall; load unload; lock unlock;
    mount unmount; visible hidden; create delete; insert delete; internal public; safe unsafe;
    correct wrong; correct incorrect; right wrong; good bad; better worse;
    valid invalid; known unknown; same different; global local; user admin; parent child; source target;
    source destination; sender receiver; buy sell; debug release; draft final; online offline;
    inside outside; weekly daily; daily monthly; weekly monthly; hourly daily; seconds minutes;
    minutes hours; hours days; days weeks; weeks months; months years; feature bugfix; feature hotfix;
    main develop; warning error; info error; request response; get post; post put; put patch; get delete;
    macos linux; linux windows; macos windows; ios android; mysql postgres; mysql postgresql;
    postgres sqlite; redis memcached; rest graphql; json yaml; yaml toml; json xml; python javascript;
    typescript javascript; rust go; java kotlin; monday tuesday; english chinese; english german;
    english french; english spanish; interface type; class function; classes functions;"""


def _parse_pairs(text: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair.split()) for pair in text.split(";") if pair.split())


CONTRARIES, OPPOSITES = _parse_pairs(_CONTRARY), _parse_pairs(_OTHER)
"""Pairs that cannot both be followed, and pairs about different things; neither kind agrees."""


def _group_by_word(pairs: frozenset[frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return each word of the pairs with the words that it is paired with."""
    partners: dict[str, set[str]] = {}
    for pair in pairs:
        first, second = (polar_form(word) for word in sorted(pair))
        partners.setdefault(first, set()).add(second)
        partners.setdefault(second, set()).add(first)
    return {word: frozenset(others) for word, others in partners.items()}


CONTRARY, POLES = _group_by_word(CONTRARIES), _group_by_word(CONTRARIES | OPPOSITES)
"""Words with their contraries, and words with their opposites of either kind."""
