"""What the man page of each verb says beyond the verb's own help.

In a text, a block indented by four blanks is shown as it stands, and a line with indented lines below
it is a term with its meaning. Everything else is a paragraph.
"""

from collections.abc import Mapping

_HINT = """
The last line of a map says how to read a part. --hint names how:

ctxkit
    the default: the command ctxkit cache get, and sed on the plain file for places where ctxkit is absent.
sed
    sed -n on the plain file alone; the default where brief is given a FILE.
read_file
    a call such as read_file("big.rs", lines="46:200"), the name being that of FILE or --name.

Anything else that holds a brace is a template; {ref}, {path}, {name}, {start} and {end} stand for
the content's ref, the file that holds it, its name, and the first and last line of a part. A template
without {ref} gets the ref appended, so that a map always names what it is of.

    --hint 'read {name} from line {start} to {end}'
"""

_JSON = """
With --json one object stands on stdout instead of the content. Its members:

result
    raw; tight, which is raw but past compact_trigger of the effective window; or briefing, a map.
    When nothing fits there is no object: stdout is empty and the status tells.
tokens
    what enters the window, -1 when it could not be counted.
method
    exact; estimate where the model's vocabulary is not public; or bound, when content is so small that
    its bytes prove that it fits and nobody needed to count.
tokenizer
    the name of the vocabulary.
original
    an object of the bytes, lines and tokens of the whole content, and the method of that count.
    A member that is not known is left out.
budget
    an object of window, reserve, used and available, in tokens.
ref
    the first 12 digits of the content's ref, when it was stored.
kind
    what the map is a map of, such as log or json.
content
    the text that enters. Bytes that are not UTF-8 are in content_base64 instead.
"""

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "ctxkit": {
        "WORDS": """
            window
                the model's context, in tokens.
            reserve
                the part of the window kept for the model's answer. Window less reserve is the effective window.
            used
                what is in context already.
            available
                effective window less used: the room for new content.
            map
                a text that says what content holds and where, of at most half the available tokens and never more
                than briefing_cap. It says in its first line that it is a map.
            ref
                the SHA-256 of stored content: shown as its first 12 digits, accepted as any unique beginning of at
                least 6.
            """,
        "CONVENTIONS": """
            Content is bytes: what passes is never altered, and line numbers agree with those of sed and grep.
            stdout carries data only, and stderr talk only. Each error is one line that begins with ctxkit:, with a
            line that begins with hint: below it where one helps.

            Where ctxkit itself fails to count or to store, content passes unchanged with a warning. --strict makes
            that a failure.
            """,
        "SETTINGS": """
            A setting is taken from the first place that has it: the option, the variable, the project's file, the
            user's file, the default. The names of the variables below, without CTXKIT_ and in lower case, are the
            keys of the files, which are TOML:

                model = "qwen3-30b"
                reserve = "25%"
                cache_max_age = "14d"

            A key that does not exist, or a value that cannot be understood, is an error.
            """,
    },
    "ctxkit gate": {
        "HOW IT DECIDES": """
            Content passes when its tokens are no more than are available, and no more than --limit. First its
            bytes are looked at: text never has more tokens than bytes, a vocabulary's own rules aside, so
            most content passes without a tokenizer being loaded. Then tokens are counted, and counting stops as soon
            as there are too many. Where the model's vocabulary is not public, the count is an estimate, and its high
            end must fit.

            What does not fit is stored, a FILE too, since it may change. A map takes at most half the available
            tokens, at most --limit, and at most briefing_cap. Where no map is that short, one line stands in for
            it: what it is, how large, and the ref. With --no-store the beginning and the end are kept in place of a
            map, with a line between them that says which lines are missing.
            """,
        "HINTS": _HINT,
        "JSON": _JSON,
        "EVENTS": """
            --events appends one JSON object a line for each decision, once it is delivered: v (1), ts (UTC), event
            (tool_output_truncated when a map, or nothing, went in; otherwise gate), name, and the members that
            --json prints except the content. A file that cannot be written is a warning.
            """,
    },
    "ctxkit run": {
        "HOW IT RUNS": """
            Options of ctxkit stand before CMD; what follows CMD is its own. A -- before CMD is never wrong. CMD has
            ctxkit's stdin. An interrupt or a termination signal is passed on to CMD, and what CMD wrote until then
            is still gated. After --timeout CMD is asked to end by SIGTERM, and killed two seconds later.

            Whether and how output enters is decided as by ctxkit-gate(1), which also describes hints, events and the
            members that --json prints. Two more come with run: command, an array of CMD and its arguments, and exit,
            its status.
            """,
    },
    "ctxkit brief": {
        "SIZE": """
            A map takes at most --target tokens. Without --target, a window that is named by an option or a setting
            gives the size that ctxkit-gate(1) would allow; otherwise it is 2000. The hint line counts as part of it.
            """,
        "HINTS": _HINT,
        "JSON": """
            With --json one object is printed. Its members:

            kind, language
                what the content was taken for; language is empty unless it is source code.
            confidence
                how sure that is, from 0 to 1.
            lines, bytes
                the size of the content.
            tokens, target
                the size of the map, and the most it was allowed.
            original
                an object of the content's tokens and the method of the count: exact, estimate or bound.
            ref
                the ref of what came from stdin; null for a FILE.
            content
                the map.
            """,
    },
    "ctxkit cache": {
        "STORAGE": """
            Content is kept as plain files, one a ref, readable by their owner alone, so that cat and sed can read
            them where ctxkit is not installed. The same content is kept once. It is kept until it has not been read
            for cache_max_age, or until what was read later fills cache_max_size.
            """,
    },
    "ctxkit cache get": {
        "RANGES": """
            Lines and bytes are counted from 1, and both ends are part of a range. A:B is from A to B, A: from A to
            the end, :B from the start to B, A that one alone, and -N: the last N.

            --lines and --grep go together: of the range, the lines that match. The regular expression is
            Python's, and is searched for anywhere in a line.

            With --gate a part that does not fit is cut at a whole line, or within a line too long for that, and the
            last line names the command that reads on. Line numbers stay those of the whole.
            """,
    },
    "ctxkit cache list": {
        "JSON": """
            With --json each line is one object: ref, sha256 (the whole ref), bytes, created and read (seconds since
            1970), and where they were given name, tool and call.
            """,
    },
    "ctxkit cache search": {
        "QUERIES": """
            A word stands for itself in any letter case and, in English, for its forms: failing finds failed. Words in
            double quotes stand for these words in a row, and word* for every word that begins so. Punctuation
            separates words, so src/parse.rs finds these three in a row. In scripts written without spaces each
            character counts as a word.

            Passages of two to eight kilobytes are ranked by BM25. The first search reads what is stored and keeps an
            index of it beside it; later ones read only what is new.
            """,
        "JSON": """
            With --json each passage is one object on a line: ref, line and text (the line that holds most of the
            words), lines (the first and last of the passage) and score.
            """,
    },
    "ctxkit cache put": {
        "JSON": """
            With --json one object is printed: ref, sha256 (the whole ref) and bytes.
            """,
    },
    "ctxkit cache gc": {
        "QUANTITIES": """
            An age is a number and s, m, h, d or w; a size is a number and KB, MB, GB or TB, in powers of 1024. A bare
            number is seconds, or bytes.
            """,
        "JSON": """
            With --json one object is printed: removed, the number of refs, and bytes.
            """,
    },
    "ctxkit cache stat": {
        "JSON": """
            With --json one object is printed: blobs, bytes, directory, max_age and max_size.
            """,
    },
    "ctxkit cache verify": {
        "JSON": """
            With --json each bad one is an object on a line: ref, sha256 and problem.
            """,
    },
}
"""Sections that stand between the options and the statuses, by the words that call the verb."""
