"""Define patterns of chats, session logs, summaries and truncated text, which reveal garbage in memories."""

import re

from ctxkit.core.lazy_pattern import compile_lazily

_CHAT = "conversation|chat|session|dialogue|discussion|exchange|transcript"
_TELLS = "highlights|covers|covered|revolves|revolved|focuses|focused|centers|centered|shows"
_TELLS += "|discusses|discussed|summarizes|includes|included|contains|reveals|indicates|involves|involved"
_TELLS += "|was about|is about"
TRANSCRIPT_PATH = compile_lazily(r"transcript|(?:^|/)(?:chats?|logs?|sessions?|conversations?)/", re.IGNORECASE)
"""Matches paths of transcripts, in which a sentence about the conversation is not a summary."""
SELF_REFERENCE = compile_lazily(
    rf"\bi (?:should|need to|must|will|'ll|have to|might) (?:\w+ )?(?:prompt|ask|respond|reply|tell"
    rf"|inform|clarify|"
    rf"acknowledge|summari[sz]e|condense|extract|let) (?:them|the user|him|her|for|if|that|whether"
    rf"|the (?:{_CHAT})"
    rf"|this|facts)\b"
    rf"|\bi should (?:probably |also |now |first )?(?:prompt|ask|respond|reply|clarify|acknowledge|check (?:if"
    rf"|whether)|make sure)\b"
    rf"|\b(?:this|the|our) (?:current |previous |above )?(?:{_CHAT})"
    rf"(?: history| so far| log| above)? (?:primarily |mainly |mostly "
    rf"|also )?(?:{_TELLS})\b"
    rf"|\b(?:here(?: is|'s)|below is|following is|this is) (?:a|an|the|my|your)(?: \w++){{0,3}} (?:summary|recap"
    rf"|overview|synopsis)"
    rf"(?: of (?:the|our|this|what)|:|$)"
    rf"|^(?:sure|certainly|of course|absolutely)[,!.] (?:here|i|let)"
    rf"|^(?:ok(?:ay)?|alright|hmm+)[,.]? (?:so,? )?(?:let'?s (?:see|start|begin|think|look)|let me|i |the user|first,)"
    r"|^(?:so|now|wait|actually|first|next),? (?:i (?:need|should|will|must|have)|i'll|let me|the user)\b"
    r"|\b(?:it|this) (?:seems|looks like|appears)(?: that| as if| like)? (?:the user|they want|i )"
    r"|\bthe assistant (?:then |also )?(?:responded|replied|provided|explained|asked|suggested|offered|answered|will"
    r"|should|was|confirmed|acknowledged|helped|tried)\b"
    r"|\bi (?:will|'ll|should|need to) (?:now |then )?(?:provide|continue|proceed|keep this|note that|remember that)\b"
    r"|\bi (?:don't|do not|cannot|can't) (?:have|see) (?:access|enough|any|the)\b"
    r"|^(?:in summary|to summari[sz]e|to recap),|\b(?:above|previous|earlier) (?:conversation|messages)\b"
    r"|\bin this (?:conversation|session|chat),? (?:we|i|the user)\b|^we (?:then |also )?(?:discussed|talked about)\b"
    rf"|^let me (?:start|begin|first|think|see|check|read|look|try|go|now|break|analy[sz]e|review|summari[sz]e"
    rf"|extract|know)\b"
    rf"|\bthe user (?:wants|asked|is asking|requested|needs|would like|expects|told|instructed) (?:me|us) (?:to|for"
    rf"|about|not)\b"
    rf"|\bthe user (?:hasn't|has not|didn't|did not) (?:provided?|specif(?:y|ied)|given?|mention(?:ed)?|said"
    rf"|answer(?:ed)?)\b"
    rf"|\bas an (?:ai|artificial intelligence)(?: language)?(?: model| assistant)?,? i\b"
    rf"|\bas a (?:large )?language model\b"
    rf"|\bi hope this (?:summary |answer |)?helps\b|\blet me know if (?:you|there|this)\b|\bfeel free to (?:ask"
    rf"|reach|let me)\b"
    rf"|\b(?:i (?:was|am|have been) (?:asked|instructed) to|my task is to) (?:summari[sz]e|condense|compress"
    rf"|extract)\b"
    rf"|\bin this (?:summary|recap)\b|\b(?:based on|according to|from) (?:the|our|this) (?:above )?(?:{_CHAT})"
    rf"(?: above| so far)?,|\b(?:summary|recap) of (?:the|our|this) (?:{_CHAT})\b"
    rf"|\bi need to (?:remember|make sure|figure out|understand|ask|check)\b.{{0,30}}\b(?:the user|them|they)\b"
    rf"|\bi have (?:now )?(?:summari[sz]ed|condensed|extracted)\b|\bthe user and i\b"
    rf"|\bmy (?:previous|last|earlier) (?:response|answer|message|reply|summary)\b"
    rf"|\bas (?:discussed|mentioned|noted)(?: earlier| above)? in (?:this|the|our) (?:{_CHAT})\b"
    rf"|^(?:好的|嗯)[，,]\s*(?:我|让我|用户|以下|现在我)|以下是(?:对话|会话|本次)?.{{0,6}}(?:摘要|总结)|用户(?:希望|想要|要求)我|我(?:应该|需要)(?:提示|询问|回复|总结)",
    re.IGNORECASE,
)
ROLE_LABEL = compile_lazily(
    r"\A(?P<mark>[ \t]*+(?:[>#-][ \t]*+|\*[ \t]++)*+)(?:\[[\d:.TZ -]{4,30}\][ \t]*)?[\[<]?(?:\*\*|__)?"
    r"(?P<role>user|human|assistant|ai|bot|agent|model|claude|gpt|chatgpt|tool|system|you|me|用户|助手)"
    r"(?:\*\*|__)?[\]>]?(?: ?\([^)]{0,40}\)| ?\[[^\]]{0,40}\])?[ \t]*(?:\*\*|__)?"
    r"(?::(?:\*\*|__)?(?:[ \t]|$)|：)",
    re.IGNORECASE,
)
MODEL_ROLES = ("assistant", "ai", "bot", "agent", "model", "claude", "gpt", "chatgpt", "助手")
USER_ROLES = ("user", "human", "you", "me", "用户")
CHAT_ONLY_ROLES = ("assistant", "human", "助手")
"""Role labels that begin a line only in a chat."""
TEMPLATE_MARKER = compile_lazily(r"<\|(?:im_start|start_header_id|start)\|>")
SESSION_FILE = compile_lazily(r"(?:^|/)(?:SESSION|session|Session)[_-][^/]*\d[^/]*\.md$")
"""Matches the path of the working memory of one session: its name has an id or a date."""
SESSION_TITLE = compile_lazily(
    r"(?:compaction|conversation|session|chat|context)(?: history)? (?:summary|log|notes|transcript|recap)\b"
    r"|^(?:session|chat|conversation)s? (?:history|log|transcript)s?$|^recent (?:session|chat|conversation)s?\b"
    r"|^(?:chat )?transcripts?$|^what (?:we|i) did (?:on|in|today|yesterday)\b"
    r"|^session:? (?:\d|#\d|\(?20\d\d|[0-9a-f]*\d[0-9a-f]{5})|^conversation (?:on|from)\b"
    r"|^(?:last|previous|current|today'?s) session\b|^session (?:of|on|from) "
    r"|^(?:summary|log|recap|transcript) of (?:the |this |our )?(?:conversation|session|chat)"
    r"|会话(?:摘要|记录)|对话(?:摘要|记录)",
    re.IGNORECASE,
)
_DATE_IN_WORDS = (
    r"(?:[^\W\d_]{3,12}\.? \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d\d"
    r"|\d{1,2}(?:\.|er|º)? (?:de )?[^\W\d_]{3,12}\.?,? (?:de )?(?:19|20)\d\d)"
)
"""A day, the name of a month in any language, and a year."""
DATE_TITLE = compile_lazily(
    r"\A\W*(?:session )?(?:(?:19|20)\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}日?|(?:19|20)\d{6}"
    rf"|{_DATE_IN_WORDS})\b"
    rf"|\A\W*[^\W\d_]{{1,20}}:? {_DATE_IN_WORDS}\b"
    rf"|\A[^\n]{{0,80}}\b(?:session|sesión|sessão|sessione|sitzung|sessie|sesja|сессия|会话|セッション)\W{{1,3}}"
    rf"(?:(?:19|20)\d\d[-/.年]\d{{1,2}}[-/.月]\d{{1,2}}日?|{_DATE_IN_WORDS})\W*\Z",
    re.IGNORECASE,
)
"""Matches a title that is dated: it begins with a date, alone or behind one word, or ends with that of a session."""
_LENGTH = r"\d[\d,.]* ?(?:chars?|characters|bytes|lines|tokens|words|[kmg]i?b)\b"
TRUNCATION_MARKER = compile_lazily(
    r"\[[^\[\]\n]{0,40}\btruncated\b[^\[\]\n]{0,80}\]|<[^<>\n]{0,30}\b(?:truncated|clipped)\b[^<>\n]{0,60}>"
    r"|(?:…|\.\.\.) {0,3}\(?\btruncated\b[^\n]{0,40}"
    rf"|\((?:[^()\n]{{0,30}} )?truncated (?:at|after|to) {_LENGTH}[^()\n]{{0,20}}\)$"
    rf"|\btruncated (?:at|after|to) {_LENGTH}\W*$|^\W*truncated\W*$"
    r"|[\[(](?:…|\.\.\.)? {0,3}\d[\d,.]* ?(?:more )?(?:lines?|chars?|characters|bytes|tokens|rows|words|[kmg]i?b)"
    r" (?:truncated|omitted|elided|hidden|skipped|cut)[^\])\n]{0,80}[\])]|\[(?:snip|snipped|cut off)\]"
    r"|\((?:the )?(?:output|content|text|file|message|result|rest|remainder) (?:was |is )?"
    r"(?:truncated|omitted|cut off|clipped)[^()\n]{0,60}\)"
    r"|(?:…|\.\.\.) {0,3}\+\d+ (?:more )?lines\b|\[Old tool result content cleared\]"
    r"|\[(?:output|content|text|file|message|result) (?:was )?(?:cut|clipped|shortened)[^\]\n]{0,80}\]"
    r"|\[(?:…|\.\.\.) ?(?:and )?\d[\d,]* more [a-z]+(?: …|\.\.\.)?\]",
    re.IGNORECASE,
)
COMPACTION_MARKER = compile_lazily(r"\[/?(?:VERBATIM|COMPACTED|SUMMARIZED|SUMMARY)\]:?[ \t]?")
"""Matches a marker that a compaction leaves around copied text."""
MARKER_MENTION = compile_lazily(
    r"\b(?:if|when|whenever|until|unless|markers?|shows?|shown|says?|prints?|printed|appends?|append|ends? with|adds?"
    r"|such as|e\.g|means?|called|look for|see|output is|gets?|will be|are|may be|never|don'?t|do not|must not)\b",
    re.IGNORECASE,
)
"""Matches text about a marker, as opposed to truncated text."""
