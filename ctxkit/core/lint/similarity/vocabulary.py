"""Define the words that decide whether two statements say the same: stop words, synonyms, opposites."""

import re
from functools import lru_cache

from ctxkit.core.lazy_pattern import compile_lazily

_EMPTY = """a an the this that these those it its is are was were be been being am and or but so
    then than as at by for from in into of on onto to with within via per about also any
    all each every some such other own same just very really there here where when while
    which who whom whose what how if else i you he she we they me him her us them my
    your his our their will would can could may might shall do does did done has have
    had having please note tip hint remember reminder important critical warning caution
    attention simply basically actually essentially generally typically usually
    currently always make sure ensure must should need needs required require requires
    like e.g i.e etc example examples instance following follow follows below above up
    out off over under again only even still solely merely ever initially whenever just
    generally particular specifically too yet one way case cases thing things let lets 的
    了 和 与 在 是 有 就 都 也 请 要 把 被 对 从 到 你 我 他 她 它 们 这 那 个 في من على إلى عن أن إن هذا هذه ذلك
    التي الذي و أو ثم قد كل de la el los las un una y o en con por para que se del al le
    les des et ou du dans pour sur avec est une der die das und oder ein eine zu mit von
    für auf im den dem ist"""
EMPTY = frozenset(_EMPTY.split())
"""Stop words: function words of several languages, and words that only emphasize or introduce."""
_SYNONYM_LINES = """use utilize utilise employ leverage using
    run execute launch invoke rerun perform
    create make build generate produce
    delete remove erase drop
    check verify confirm validate double-check
    show display print present
    ask request prompt
    tell inform notify
    fix repair resolve solve
    change modify edit alter adjust modification update refresh
    contain include hold
    provide supply offer
    correct right
    keep maintain retain preserve store
    begin start commence
    end finish complete conclude
    stop halt cease
    help assist aid
    choose select pick
    get obtain fetch retrieve
    describe explain
    think consider
    find locate discover
    send submit deliver
    release ship
    proceed continue
    whole entire full
    since because
    instead rather
    wait await
    handle manage
    ignore skip omit
    enable activate
    improve enhance
    comprehensive thorough
    simple plain
    big large
    small little tiny
    quick fast rapid quickly
    short brief concise terse succinct
    before prior ahead
    after afterwards following once
    often frequently
    prefer favor favour
    avoid refrain
    error mistake
    reply answer respond response
    put place
    write author compose
    look inspect examine review
    need require
    try attempt
    allow permit
    forbid prohibit disallow
    directory folder
    repo repository
    config configuration
    docs documentation
    function method
    parameter argument
    commit commits committing committed
    step stage
    clear explicit
    different another
    issue problem
    objective goal aim
    guideline guidance
    phrase wording
    name naming
    user users human
    code codebase""".splitlines()
SYNONYMS = {word: words.split()[0] for words in _SYNONYM_LINES for word in words.split()}
"""Synonyms in instructions, each mapped to the word that represents them."""
_NEGATIVE = """no not never without nor none neither cannot can't cant don't dont doesn't doesnt didn't isn't isnt
    aren't won't wont wouldn't shouldn't shouldnt mustn't mustnt couldn't wasn't weren't haven't hasn't avoid
    forbid forbidden prohibit prohibited disallow disallowed refrain banned nobody nothing
    nunca jamás sin nicht kein keine keinen nie niemals ohne ne pas jamais sans não
    ikke ikkje inte uten niet geen zonder
    не нет никогда нельзя без لا لم لن ليس ممنوع بدون دون"""
NEGATIVE = frozenset(_NEGATIVE.split())
"""Words that negate a statement."""
NEGATIVE_SIGNS = compile_lazily(
    r"不允许|不要|不能|不得|不可|不许|不准|不应|不该|不必|不再|不会|不是|无需|无须|请勿|禁止|严禁|切勿|勿|别再|没有|避免|不使用|ない|しない|禁止|않|마세요|❌|🚫|⛔"
)
NEGATIVE_TITLE = compile_lazily(
    r"(?:\W*+(?:(?:what|things|how)\s+(?:you\s+)?(?:must\s+|should\s+)?(?:not|never|to avoid)\b"
    r"|(?:what|things)\s+(?:[\w'-]+\s+){1,4}?(?:(?:does|do|will|should|is|are)(?:\s+not|n['’]t)|cannot|can['’]t)\b"
    r"|don'?ts?\b|do not\b|never\b|avoid\b|forbidden\b|prohibited\b|not allowed\b|anti-?patterns?\b"
    r"|out of scope\b|non-goals?\b|must not\b|you (?:must|may|should) (?:not|never)\b)"
    r"|.{0,12}(?:❌|🚫|⛔)|\W*+(?:不要|禁止|严禁|切勿|不得))",
    re.IGNORECASE,
)
"""Matches a heading or an introducing line that negates the statements below it."""
POSITIVE_TITLE = compile_lazily(
    r"\W*+(?:do(?:'?s)?(?!\s+not\b|\s*n't|[\w'’])|always\b|allowed\b|permitted\b|required\b|preferred\b"
    r"|must(?!\s+not\b)\b"
    r"|good\b|(?:what|things)\s+(?:you\s+)?(?:must|should|to|can|may)\s+(?!not|never|avoid)\w)|.{0,12}(?:✅|👍)|\W*+(?:必须|允许)",
    re.IGNORECASE,
)
"""Matches a heading or an introducing line that requires the statements below it."""
_FILLER = compile_lazily(
    r"(?:^|(?<= ))(?:of course|as a rule|in general|as (?:always|usual|agreed|mentioned|noted)|at all times|at any time"
    r"|(?:with )?no exceptions?|without exceptions?|in any case|in all cases|by all means|needless to say"
    r"|in this (?:project|repo|repository|codebase|workspace)|keep in mind(?: that)?|note that|be sure to"
    r"|in order(?= to )"
    r"|دون استثناء|بدون استثناء|في هذا المشروع|من فضلك)(?: |$)"
)
_HAN = {
    "一定要": "必须", "务必": "必须", "一定得": "必须", "必需": "必须", "请勿": "不要", "切勿": "不要", "严禁": "不要",
    "禁止": "不要", "不允许": "不要", "不可以": "不要", "不准": "不要", "不许": "不要", "不得": "不要", "不可": "不要",
    "首先": "先", "请记住": "", "没有例外": "", "在本项目中": "", "本项目中": "", "请": "", "以及": "和", "或者": "或",
    "文件夹": "目录", "新增": "添加", "增加": "添加", "使用": "用", "采用": "用", "读取": "读",
}  # fmt: skip
_HAN_SAME = compile_lazily("|".join(sorted(_HAN, key=len, reverse=True)))
_MAX_CACHED_LENGTH, _MAX_CACHED_TEXTS = 400, 4096
"""Characters of a text that is compared often, and the number of such texts that are cached without filler."""


def strip_filler(normal: str) -> str:
    """Return a normalized text without filler, and with Chinese synonyms replaced by their representatives."""
    return _remove_filler_once(normal) if len(normal) <= _MAX_CACHED_LENGTH else _remove_filler(normal)


def _remove_filler(normal: str) -> str:
    if not normal.isascii():
        normal = _HAN_SAME.sub(lambda match: _HAN[match[0]], normal)
    return " ".join(_FILLER.sub("", normal).split()) or normal


_remove_filler_once = lru_cache(maxsize=_MAX_CACHED_TEXTS)(_remove_filler)
_MODIFIERS = """any some current new latest recent existing available given good best better right proper appropriate
    suitable specific particular certain main primary key core basic simple complex easy hard common usual
    normal typical regular general overall complete final initial actual real true exact precise concrete
    direct additional extra further more less many several multiple various numerous important essential
    crucial vital necessary useful helpful relevant related similar great nice strong detailed meaningful
    careful thorough consistent clean neat fresh obvious evident apparent reasonable sensible possible
    potential likely entire whole full different another natural immediate prompt quick fast slow brief
    long short big large small tiny huge strict loose rough very quite really fully wholly entirely
    completely totally properly correctly carefully clearly directly immediately quickly closely strongly
    highly mostly mainly largely simply exactly precisely explicitly always never often sometimes first
    last next previous prior later earlier now today"""
MODIFIERS = frozenset(_MODIFIERS.split())
"""Modifiers: replacing one by another does not make a different statement."""
STRONG = frozenset(("must", "always", "required", "mandatory", "never"))
WEAK = frozenset(("may", "might", "optional", "optionally", "sometimes", "rarely"))
"""Words of a demand, and words of an option."""
_ENDINGS = ("ingly", "ations", "ation", "ings", "ing", "edly", "ied", "ies", "ed", "es", "ly", "s")


def stem(word: str) -> str:
    """Return a Latin word without its ending, roughly: equal for most forms of a word."""
    if len(word) < 5 or not word.isascii() or not word.isalpha():
        return word[:-1] if len(word) == 4 and word.endswith("s") and word.isalpha() and word[-2] != "s" else word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            base = word[: -len(ending)]
            if ending == "s" and base.endswith(("s", "u", "i")):
                return word
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
                base = base[:-1]
            return base + "y" if ending in ("ied", "ies") else base.rstrip("e")
    return word.rstrip("e")


_SAME_STEMS = {stem(word): stem(stands) for word, stands in SYNONYMS.items()}


def canonical_form(token: str) -> str:
    """Return the canonical form of a token: the stem of its synonyms' representative; "" for a stop word."""
    if token in EMPTY:
        return ""
    if token[:1] in "./" and "/" in token[2:]:  # the same path from the root of the workspace
        return token.removeprefix(".").removeprefix("/")
    base = stem(token)
    return _SAME_STEMS.get(base, base)


def polar_form(token: str) -> str:
    """Return the form of a token among opposites; stop words keep their own form."""
    return canonical_form(token) or token


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


_CONTRARIES, _OPPOSITES = _parse_pairs(_CONTRARY), _parse_pairs(_OTHER)
"""Pairs that cannot both be followed, and pairs about different things; neither kind agrees."""


def _group_by_word(pairs: frozenset[frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return each word of the pairs with the words that it is paired with."""
    partners: dict[str, set[str]] = {}
    for pair in pairs:
        first, second = (polar_form(word) for word in sorted(pair))
        partners.setdefault(first, set()).add(second)
        partners.setdefault(second, set()).add(first)
    return {word: frozenset(others) for word, others in partners.items()}


CONTRARY, POLES = _group_by_word(_CONTRARIES), _group_by_word(_CONTRARIES | _OPPOSITES)
"""Words with their contraries, and words with their opposites of either kind."""
