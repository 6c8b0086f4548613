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

A shell reads every hint back as it was meant. A path or a name is quoted where it has to be: in single quotes, or as
$'...' if it holds newlines, control characters or bytes that are not UTF-8, which bash, zsh and ksh understand. Quotes
that a template puts around {path} or {name} give way to these.
"""

_JSON = """
With --json one object stands on stdout instead of the content. Its members:

result
    raw; tight, which is raw, but with it the window is full from compact_trigger on; briefing, a map; or
    refused, when nothing enters. The status of a refusal is 1.
tokens
    what enters the window, 0 for a refusal, null when it could not be counted.
method
    exact, or estimate where the model's vocabulary is not public, not known or not installed. An estimate lies
    between low and high.
tokenizer
    the name of the vocabulary.
original
    an object of the bytes, lines and tokens of the whole content, and the method of that count: an estimate
    above 4 MB of mapped content. A member that is not known is left out.
budget
    an object of window, reserve, used and available, in tokens; under a session, after this content. A member
    assumed, true, says that nobody named the window.
reason, hint
    of a refusal: why nothing enters, and what to do about it.
session
    the name of the session, where one is named.
ref
    the first 12 digits of the content's ref, when it was stored.
kind
    what the map is a map of, such as log or json.
redacted
    how many keys and passwords were masked, where that was asked for.
content
    the text that enters, empty for a refusal. Bytes that are not UTF-8 are in content_base64 instead.
"""

_REDACT = """
--redact, or the setting redact of the user's file, masks keys and passwords before anything enters or is stored. A
fixed text such as [redacted: github token] takes the place of each; all other bytes and the numbers of lines stay as
they are. What is stored is the redacted content: the map, the hint and the ref refer to that alone. -v says how many
were masked and of which kinds, and --json has the number as redacted.

The patterns are those of rule HYG007 of ctxkit-dedupe(1): keys with a known form (AWS, GitHub, GitLab, Anthropic,
OpenAI, Google, Slack, Stripe, Hugging Face, npm, PyPI, SendGrid, Telegram, Discord), JSON web tokens, private keys,
passwords in addresses, and generated values named password, passphrase, secret, token or API key. A secret in another
form passes, and so does one that is encoded or split. UTF-16 is searched if it begins with a byte order mark.
"""

_FOCUS = """
--focus names what the caller is looking for. The lines that hold the text as it stands, in any letter case, come
first in the map, each with its number; where there are none, those with most of its words. Symbols, tests and keys
whose names match enter before others, and the hint shows the first of them. That nothing matches is said too.
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
            line that begins with hint: below it where one helps. A directory on stdin ends Python before ctxkit
            begins, with the status 1 and the message of Python.

            A map is made in a worker process that may take 400 MB of memory, 10 seconds of processor time and three
            more for each megabyte of content. If the worker dies, head and tail of the content stand in for the map,
            with a warning that says why; with --strict the status is 70.

            Messages, lists and findings show control characters, those of bidirectional text and bytes that are not
            UTF-8 in escaped form, as in \\x1b, \\u202e and \\xff. Messages and the doctor's table show *** for
            passwords in addresses and for values of Authorization, api_key, token and the like. Content itself is
            never altered so.

            Where ctxkit itself fails to count or to store, content passes unchanged with a warning. --strict makes
            that a failure.

            Content of any size can be stored, counted and mapped. A document that has to be parsed as a whole, such as
            a JSON object or an HTML page, gets the generic map of its first and last lines above 16 MB. A conversation
            above 64 MB is not edited: edit, usage, session append, snapshot save and compact --check answer 65, and
            compact passes it on unchanged with a warning. dedupe skips files above 16 MB, with a warning.
            """,
        "SETTINGS": """
            A setting is taken from the first place that has it: the option, the variable, the project's file, the
            user's file, the default. With one exception: --model on the command line wins over a project's window and
            context_budget, unless the project's file says in its table models what that model's window is. A project
            may set only what SETTINGS OF A PROJECT lists. The names of the variables below, without CTXKIT_ and in
            lower case, are the keys of the files, which are TOML:

                model = "qwen3-30b"
                reserve = "25%"
                compact_trigger = 0.9

            What is true of one model alone stands in a table of its name, which a model that is in no list of
            ctxkit's may have too:

                [models."my-qwen"]
                window = 40960
                tokenizer = "qwen3"
                max_output = 8192

            Of one source, what it says of the model holds before what it says of all. The keys context_budget,
            max_output_tokens, compact_trigger, hard_block, result_offload_threshold and tool_deferral_threshold may
            stand in a table agent too, as agents' own files have it; outside the table they win.

            A key that does not exist, or a value that cannot be understood, does not stop gate, run, compact and
            cache get: the default holds, with a warning once in a session, else once in an hour. With --strict, and
            in commands that answer a question, it is an error. ctxkit-doctor(1) shows every value with its source,
            and what of a project's file is ignored.
            """,
    },
    "ctxkit count": {
        "WHAT IS COUNTED": """
            Text is counted as the tokenizer of the model sees it, special tokens spelled out in it as the
            characters they are. Without a model and a tokenizer it is o200k.

            A conversation is recognized by its content: requests and messages of OpenAI (Chat Completions and
            Responses), Anthropic, Bedrock's Converse and Gemini, sessions of Claude Code, Codex, Gemini CLI, OpenCode,
            pi and Qwen Code, trajectories of OpenHands and SWE-agent, messages that LangChain dumps, ShareGPT and
            ChatML, as a JSON document or one JSON object a line. Any other JSON is text. --format names the format:
            claude-code, qwen-code, codex, pi, opencode, openhands, gemini, responses, anthropic, sharegpt, swe-agent,
            langchain, openai or chatml. --input text counts the bytes as they are, which is what ctxkit-gate(1) does.

            Of a session, what its agent would send next is counted: the newest branch, from its last compaction on.
            Reasoning is counted where it stands, although some models drop that of earlier turns: --by component
            shows how much it is.
            """,
        "HOW SURE IT IS": """
            Words in a message, and what the chat template puts around it, are exact where vocabulary and template
            are public. The rule of OpenAI's cookbook gives the numbers that its API reported for gpt-3.5, gpt-4 and
            gpt-4o. Where neither a model nor a tokenizer is named, the provider of the format says what stands
            around a message.

            Tool calls and their results, reasoning, nested parameters of functions and pictures of unknown size are
            guesses, since no provider documents them; then the whole is an estimate between low and high. So is
            everything where the vocabulary is not public. --max goes by high.
            """,
        "ROWS": """
            --by says what a row is about:

            total
                all there is, as one number.
            file
                a file, and a total below more than one. The default.
            message
                tokens, the number of the message, its role, and the name of the speaker or the tool. Rows with the
                number 0 are the tools and what stands around the whole; all rows add up to the total.
            component
                tokens of system, tools, user, assistant, calls, results, thinking, images, other and overhead.
            line
                tokens and number of each line of text, between them a tab, so that sort -rn shows the longest. Lines
                are counted one by one, so that their sum may be more than the whole.
            """,
        "JSON": """
            With --json each file is one object on a line, and a last one named total follows more than one. Its
            members:

            name
                the file; stdin, or total.
            tokens
                the most likely number; null when --max stopped the count.
            method
                exact or estimate.
            tokenizer
                the name of the vocabulary.
            low, high
                the range that the number lies in; the same as tokens when it is exact.
            bytes, lines
                the size of the content.
            window, percent
                the model's window, and tokens as a percentage of the effective window (window less reserve); null
                where no window is known.
            format, messages
                the format of a conversation and the number of its messages; text and 0 for text.

            With --by message each row is an object of file, method, tokens, message (its number), role and name;
            with --by component of file, method, tokens and component, the last one total; with --by line of file,
            method, line and tokens.
            """,
        "RECEIPTS": """
            --calibrate reads one JSON object a line: text (or input, content), what was sent; tokens (or
            input_tokens, or the usage object of an answer), what the API counted for it, less what it always adds;
            and model, unless --model names it for all. From 5 receipts on, a factor for the model's family and the
            ends of its range are written to the table calibration in the user's settings file, and shown as a JSON
            object. Only what is estimated can be calibrated.
            """,
    },
    "ctxkit gate": {
        "HOW IT DECIDES": """
            Content passes when its tokens are no more than are available, and no more than --limit. First its
            bytes are looked at: text never has more tokens than bytes, a vocabulary's own rules aside, so
            most content passes without a tokenizer being loaded. Then tokens are counted, and counting stops as soon
            as there are too many. Where the model's vocabulary is not public, the count is an estimate, and its high
            end must fit. What --json, --events and -v tell is always counted.

            What does not fit is stored, a FILE too, since it may change. A map takes at most half the available
            tokens, at most --limit, and at most briefing_cap. Where no map is that short, one line stands in for
            it: what it is, how large, and the ref. With --no-store the beginning and the end are kept in place of a
            map, with a line between them that says which lines are missing.

            Where even that line does not fit, nothing enters: the content is refused. The reason is on stderr, the
            ref on the last line there, and the status is 1.
            """,
        "A FULL WINDOW": """
            Content that fits is tight where the window is full from compact_trigger on (0.95 of the effective window)
            once it has entered. Where the tokens that are used before it have reached hard_block (0.98), no content
            passes: it is mapped if half of what is left is enough for a map, and refused otherwise. ctxkit-compact(1)
            makes room. With --admit content that fits passes all the same, and is booked. The map of stored content
            passes again, and empty content always does.
            """,
        "UNKNOWN WINDOW": """
            Where neither a model nor a window is named, or nobody knows the model by its name, a window of 32,768
            tokens is assumed, or of 8,192 where the name is that of a local model: a size as its tag, as in house:7b,
            or the format of a local file, as in house.gguf. A reserve that would leave nothing of it gives way to
            20 %. One line on stderr says so, once in a session, else once in an hour, and never with -q.

            --check, and anything under --strict, goes by no guess: the status is then 2. A session that begins so
            takes the window of the model once it is named.
            """,
        "SESSIONS": """
            With --session, or CTXKIT_SESSION, the room is that of a session, and what goes in is booked on its ledger:
            content as it is and maps alike, with the line at the end of a map. A session that is not there begins
            with this call. Its window, model, tokenizer and reserve hold where no option says otherwise; --used does
            not go with it, since the ledger knows (see ctxkit-session-reset(1)).

            Under a session content is always counted, and an estimate is booked as the most likely number while its
            high end decides. Room is held before anything is written and booked after it, so that
            calls at the same time never let in more than there is: content that fitted at first and does no longer
            becomes a map. What a reader that left did not take is booked all the same. A call that was killed books
            nothing, and its room is free again. Content that passes the gate twice is booked twice.

            --check and a refusal book nothing. Where the ledger cannot be used, the options alone decide, with a
            warning once in a session; with --check or --strict the status is then 75 or 74.
            """,
        "FOCUS": _FOCUS,
        "HINTS": _HINT,
        "JSON": _JSON,
        "EVENTS": """
            --events appends one JSON object a line for each decision, once it is delivered: v (1), ts (UTC), event
            (tool_output_truncated when a map, or nothing, went in; otherwise gate), name, and the members that
            --json prints except the content. A file that cannot be written is a warning.
            """,
        "REDACTION": _REDACT,
    },
    "ctxkit run": {
        "HOW IT RUNS": """
            Options of ctxkit stand before CMD; what follows CMD is its own. A -- before CMD is never wrong. CMD has
            ctxkit's stdin. An interrupt or a termination signal is passed on to CMD, and what CMD wrote until then
            is still gated. A first SIGINT or SIGTERM is only passed on: a REPL lives on. After --timeout CMD gets
            a SIGTERM. Five seconds (--kill-after) after that, or after a second SIGINT or SIGTERM, its process group is
            killed.

            Whether and how output enters is decided as by ctxkit-gate(1), which also describes hints, events and the
            members that --json prints. Two more come with run: command, an array of CMD and its arguments, and exit,
            its status. In events, command and name are the name of CMD alone; with --events-full they are the command
            line, masked as below.

            Trouble of ctxkit's own does not keep CMD from running: its output then passes as it is, with a warning.
            Only a wrong command line, or trouble under --strict, ends ctxkit before CMD starts.
            """,
        "SECRETS": """
            The title of a map is the command line as it was given. The user's own lists (ctxkit-cache-list(1), the
            ledger of a session, events) show *** for the values of options and variables whose names end in password,
            secret, token, key, auth or credentials, for Authorization and Cookie headers, for passwords in addresses
            and for everything that --redact would mask.

            The setting never_store, a list of globs in the user's file, names commands whose output is never stored:

                never_store = ["aws secretsmanager *", "vault read *", "*kubectl get secret*"]

            A glob is compared with the words of CMD as they were given, a blank between two, with and without the
            directory of the program, in the same letter case. A script behind sh -c is one of these words: only a
            glob that allows for what stands before the command matches it. The output passes whole, whatever its
            size, since what is not stored could not be read back. The ledger of a session counts it.
            """,
        "REDACTION": _REDACT,
    },
    "ctxkit compact": {
        "WHEN": """
            A conversation is due when it takes --trigger (setting compact_trigger, 0.95) of the effective window or
            more. Otherwise it passes byte for byte, so that the command can stand in every turn of a loop. What is
            counted is what ctxkit-count(1) counts, and its high end where it is an estimate. What stands in context
            beside the conversation is --used, or what the last receipt in a session file tells, where one suits the
            window. With --force it is compacted whatever its size, as far as the newest messages. A conversation
            above 64 MB passes unchanged with a warning.

            Where neither a model nor a window is named, or nobody knows the model by its name, the conversation passes
            as it is. One line on stderr says so, once in a session, else once in an hour; under --strict the status
            is then 2.
            """,
        "STAGES": """
            Stages run in this order until the conversation is below --low-water of the effective window:

            clear
                old tool results are stored, in one batch, each replaced by its size, its tool, its first 200
                characters and the command that reads it back. Reads of files that were read again or changed later
                go first. Lines that say what failed stay.
            summarize
                the older part leaves, and a summary on the template of CONTEXT.md stands in for it. An earlier
                summary is merged into it.
            truncate
                long texts are shortened to their beginning and end, the gap between them named; then the oldest
                messages leave, in the end all but the last request.

            After each stage the conversation is read anew and checked against the rules of its API. A stage that
            breaks one, or that saves less than 10 %, is undone. Nothing ever grows.
            """,
        "WHAT STAYS": """
            The newest messages stay: --keep-recent tokens of them, by default 20,000 or a quarter of the window,
            whichever is less, and less than that where the window is too small; or --keep-last messages. So do system
            messages, entries that only the provider can read, the user's last request word for word, and every --pin
            TEXT, in the summary if nowhere else. Calls stay with their results, the calls of one response together,
            and a loop of calls that begins with reasoning goes whole, or up to a message that begins with reasoning
            again.

            What is not touched keeps its bytes. In a format with branches the newest one is taken, or the one that
            ends in --leaf; what links a message to one that left is changed, and nothing else. A call without a
            result gets one that says so, and a result without a call leaves; both are said.

            Where not even that fits, the conversation is written as it came, with status 1 and the reason on stderr.

            The work is done in a worker process with limited memory and time. If the worker dies, the conversation is
            written as it came, with a warning that says why; with --strict the status is 70.
            """,
        "SUMMARY": """
            The summary enters as a message of the system in front of the others where the format takes one there, else
            as the first one of the user; --summary-role says otherwise. Its first line says how to read what it stands
            for. --summarizer names who writes it:

            extract
                nobody: it is put together from the structure of the conversation. The default.
            llama, llama:FILE.gguf
                a model on this machine, through llama-cpp-python (the extra llama), held to the template by a grammar.
                Without a file, Qwen3-1.7B where other programs keep it; ctxkit-doctor(1) says whether it is there, and
                how to get it. Nothing is downloaded. It is asked twice at most: of a long conversation, results
                and messages lose their middles first.
            http://..., https://...
                an endpoint that speaks OpenAI's API, such as http://localhost:8080/v1. After a # may stand the model's
                name, and the tokens of a prompt that it reads: #qwen3,room=6000. The key in CTXKIT_API_KEY goes there;
                that in OPENAI_API_KEY to OpenAI alone.
            cmd:PROGRAM
                a program that reads the prompt on stdin and writes the template to stdout.

            A model is reached only when there is something to summarize, and has ten minutes for each answer. What it
            writes is checked: reasoning and talk are taken out, and bullets dropped whose paths, names or numbers the
            conversation does not have. Where hardly anything is left, or it fails, extract writes instead, with a
            warning; with --strict what went wrong is the status. The model of llama: runs in a process of its own with
            limited memory and time: if that crashes or is killed, extract writes as well.
            --context-md writes the page to a file as well, and goes on from what that file says, edited by hand or not.
            """,
        "MANIFEST": """
            --manifest lists everything that left, was cleared or shortened, as one JSON object: kind and version;
            original and output, each with its sha256, size, tokens and messages, the original with its ref; summary;
            repairs; and changes, an array of objects of action (summarized, dropped, cleared or truncated), reason,
            lines and bytes (first and last, of the original), entries, ids, tool, size, tokens, sha256 and ref. As long
            as the file is there, what it refers to is not collected.

            --restore MANIFEST writes the original, once its bytes are proved to have the sha256 that the manifest
            names.
            """,
        "PROMPT CACHE": """
            Providers keep the beginning of a conversation in a cache, up to the first message that changed. The
            report says which that is and how many tokens follow it. With --cache-aware a conversation is compacted only
            where what each of --turns turns no longer reads outweighs what the first one has to write: --cache-write
            and --cache-read are the prices of a token beside a plain one, 1.25 and 0.1 unless given. From hard_block
            (0.98) on it is compacted all the same.
            """,
        "REPORT": """
            What was done is said on stderr. With --json one object stands there instead, and --report writes it to a
            file. Its members:

            result, reason
                compacted; unchanged or refused, with the reason.
            before_tokens, after_tokens, before_messages, after_messages
                the sizes, as ctxkit-count(1) has them.
            strategies_run, stages
                the stages that held, and all that were tried: stage, before and after in tokens, and undone, the reason
                why one was.
            method, low, high, bytes
                how sure after_tokens is, the range that it lies in, and the size of the output.
            beside
                tokens in context that are not in the conversation.
            first_changed, cache
                the first message that is not as it was, counted from 1; tokens kept in the prompt cache and rewritten.
            left, cleared, truncated
                how many entries left, by reason, and how many texts were cleared and shortened.
            repairs, pins
                what was mended, and how many texts were pinned.
            summarizer, fell_back, bullets_dropped
                who wrote the summary, whether extract had to, and how many bullets did not stand the check, by reason.
            budget, ref
                window, reserve, effective, trigger and low_water in tokens; the ref of the original.

            --events appends context_compaction_start, tool_output_truncated for each result that was cleared or
            shortened, and context_compaction_end, whose members are those above.
            """,
        "REDACTION": """
            With --redact, or the setting redact, the conversation is searched for keys and passwords before it is read,
            as ctxkit-gate(1) describes: what is written, stored and listed in a manifest is redacted, and --restore
            brings back the redacted conversation. A conversation that is not due is redacted too. The report has
            the number as redacted.
            """,
        "CHECK": """
            --check writes a line for each rule that is broken: the name of the conversation, the line of the entry, the
            rule, and what is wrong; with --json an object of rule, at (the place of the entry from 0), line, ids and
            message. It needs neither a model nor a window.
            """,
    },
    "ctxkit brief": {
        "SIZE": """
            A map takes at most --target tokens. Without --target, a window that is named by an option or a setting
            gives the size that ctxkit-gate(1) would allow; otherwise it is 2000. The hint line counts as part of it.
            Under a session it is never more than ctxkit-gate(1) would allow, and the map is booked.

            JSON and other documents that have to be parsed as a whole get the generic map above 16 MB, unless they
            are long lists.
            """,
        "FOCUS": _FOCUS,
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
                the ref of what came from stdin, or was redacted; null for a FILE.
            redacted
                how many keys and passwords were masked, where that was asked for.
            content
                the map.
            """,
        "REDACTION": """
            With --redact, or the setting redact, keys and passwords are masked, as ctxkit-gate(1) describes. A FILE in
            which something was masked is stored without it, and its map leads there; any other stays where it is.
            """,
    },
    "ctxkit cache": {
        "STORAGE": """
            Content is kept as plain files, one a ref, readable by their owner alone, so that cat and sed can read
            them where ctxkit is not installed. The same content is kept once. It is kept until it has not been read
            for cache_max_age, or until what was read later fills cache_max_size. A collection leaves content that was
            stored or read in the last ten minutes, unless the disk is full.

            If the directory of the cache cannot be written to, content is stored in the default one, and if that
            fails too, in $TMPDIR/ctxkit-UID, or $TMPDIR/ctxkit-UID-S in session S: a directory that no other user can
            read, as in a sandbox whose home is read-only. A ref is looked for in all of them. If none can be written
            to, content passes unchanged, with a warning.

            Inside these directories symbolic links are not followed, folders that other users can write to are not
            used, and only files that are named as ctxkit names them are removed.
            """,
    },
    "ctxkit cache get": {
        "RANGES": """
            Lines and bytes are counted from 1, and both ends are part of a range. A:B is from A to B, A: from A to
            the end, :B from the start to B, A that one alone, and -N: the last N.

            --lines and --grep go together: of the range, the lines that match. The regular expression is
            Python's, and is searched for anywhere in a line. A search may take two seconds of processor time and one
            for each megabyte; one that takes longer, such as (a+)+$ on a long line, answers 2.

            --json-path takes what jq calls simple paths: .name, ."two words", .[0], .[-1], .[2:5] and .[], one after
            the other. Each value is written as it stands in the content, on a line of its own (a value that spans
            lines keeps them), so numbers keep their digits. In JSONL each line is followed on its own.

            With --gate a part that does not fit is cut at a whole line, or within a line too long for that, and the
            last line names the command that reads on. Line numbers stay those of the whole. Where the window is not
            known one is assumed, as by ctxkit-gate(1).

            With --gate --redact keys and passwords are masked, as ctxkit-gate(1) describes. Lines keep their numbers;
            --bytes counts the bytes of the redacted content.
            """,
    },
    "ctxkit cache list": {
        "JSON": """
            With --json each line is one object: ref, sha256 (the whole ref), bytes, created and read (seconds since
            1970), directory, and name, tool and call if they were given.
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
            words), lines (the first and last of the passage), score and directory.
            """,
    },
    "ctxkit cache put": {
        "JSON": """
            With --json one object is printed: ref, sha256 (the whole ref) and bytes; with --redact also redacted, the
            number of secrets that were masked.
            """,
        "REDACTION": _REDACT,
    },
    "ctxkit cache gc": {
        "QUANTITIES": """
            An age is a number and s, m, h, d or w; a size is a number and KB, MB, GB or TB, in powers of 1024. A bare
            number is seconds, or bytes.
            """,
        "JSON": """
            With --json one object is printed: removed, the number of refs; bytes; and young, the number of refs that
            were left only because they were stored or read in the last ten minutes.
            """,
    },
    "ctxkit cache stat": {
        "JSON": """
            With --json one object is printed: blobs, bytes, directory, max_age, max_size, and stores, a list of
            objects of directory, blobs and bytes.
            """,
    },
    "ctxkit cache verify": {
        "JSON": """
            With --json each bad one is an object on a line: ref, sha256 and problem.
            """,
    },
    "ctxkit models": {
        "FIGURES": """
            A window is what the model's publisher says of it: on the page of its weights, or of the publisher's own
            deployment, as the registries models.dev and litellm have it. Where those disagree the smaller holds. Of
            weights that the publisher does not serve, it is the window that most hosts offer. What the settings say
            comes before all of these.

            A tokenizer is named by the model's family. Where the family publishes no vocabulary, or one that is not
            built in, tokens are estimated.

            A name is not known unless it is certain: what is left out or added may be a host, a date or a
            quantization, and never a size, a generation or a variant.
            """,
    },
    "ctxkit dedupe": {
        "WHAT IS READ": """
            Of a directory, the files that agents load by their names: AGENTS.md, CLAUDE.md, GEMINI.md and their like,
            rules of Cursor, Windsurf, Cline, Copilot and Claude Code, skills, commands, and the SOUL.md, USER.md,
            TOOLS.md, MEMORY.md, CONTEXT.md and memory/ of an assistant's workspace; what they import with @; what git
            ignores is left out. A PATH that is a file is linted whatever its name, in the project around it. What an
            agent loads together is a load set: a statement that stands twice wastes tokens only where one load set has
            both. A symbolic link is the file it leads to.

            PATH - reads stdin: one document, named by --stdin-name, or JSON lines with path and text. --files-from
            reads the list of files, from stdin where it is -. A path on stdin is relative and does not lead out of the
            workspace; any other path is malformed data (65).

            The configuration of a git repository is not trusted: ctxkit runs only git ls-files, log, check-ignore and
            rev-parse, without hooks, file system monitor, external diffs, signatures, pagers and network, and stops
            them after a minute. Submodules are not entered. Pipes, sockets and devices are not opened.

            A file over 16 MB is skipped with a warning. A workspace is refused (65) if its files hold more than 64 MB
            of text, or if it has too many files, lines or statements to lint in 400 MB of memory. If too many
            statements are alike, a warning says that not all pairs were compared; exact copies are always found.
            """,
        "FINDINGS": """
            Each finding has a code, whose first letters name its family: DUP what is said twice, CON what contradicts
            itself, REF what leads nowhere, HYG what does not belong there, MEM and CTX the form of MEMORY.md and
            CONTEXT.md, BUD budgets, SUP suppressions. ctxkit dedupe explain lists the rules; with codes it says why
            each is there, with an example and the evidence, and explain ALL says it of all.

            Paths are called stale only where the history of the repository knows that they were there. Of a secret no
            output shows more than four characters.
            """,
        "FIXES": """
            --fix makes fixes that lose no statement, --unsafe-fixes all of them; --diff shows them as git apply takes
            them, and changes nothing. A fix touches only what its finding reports. Afterwards each file is read again:
            where front matter, a fence or a statement that no fix is about is not what it was, or where a load set
            lacks a statement of which a copy went, the fix is not made. Encoding, byte order mark and line ends stay.
            A file is replaced at once, and only if it is still what was read; it keeps its permissions. If a file has
            several hard links, the other names keep the old content.

            --fix and --update-baseline write nothing outside the workspace. A symbolic link to a file inside it is
            followed to that file. A link that leads out is not followed: its file stays as it is, and a warning names
            it. Temporary files (.ctxkit-*) that a killed run left are removed by the next --fix.
            """,
        "SUPPRESSIONS": """
            <!-- ctxkit: ignore CODE reason -->
                silences a rule on its own line; ignore-next-line on the one below, ignore-file in the whole file. Codes
                have commas between them, and the beginning of a code names a family.

            One that silences nothing is a finding (SUP001), and so is one without a reason (SUP002).

            --baseline FILE leaves out the findings that FILE knows; --update-baseline writes it. A finding is known by
            its code, its path and its text, not by its line.
            """,
        "SETTINGS TABLE": """
            The table lint of a settings file ([lint] in .ctxkit.toml, [tool.ctxkit.lint] in pyproject.toml) has

            select, ignore, extend_select
                lists of codes, or of beginnings of codes; ALL is every rule. Of two that name a rule the longer counts.
            per_file_ignores
                a table: patterns as in .gitignore, each with the codes that are not told of in these files.
            exclude
                patterns of files that are not told of at all.
            fail_level
                info, warning (the default) or error: what makes the status 1.
            baseline
                the file of known findings.
            file_tokens, set_tokens, budgets
                most tokens of a file, of a load set, and, in a table, of a path.
            load_sets
                a table: names of agents that are not known, each with the files that it loads together.
            """,
        "JSON": """
            With --output-format json, or --json, a list of objects is printed. Their members:

            code, name, severity
                the rule, and info, warning or error.
            path, line, end_line, column, end_column
                where it is, from 1; columns, in characters, are null where the whole lines are meant.
            message
                what is wrong.
            related
                the other places, each with path, line and end_line; of copies, the one to keep first.
            tokens, wasted
                what it costs in the load set where it costs most, and in each where it costs any.
            score
                how alike near duplicates are, else null.
            fix
                null, or whether it is safe, a description and its edits: path, start and end in characters of the text
                without its byte order mark, and replacement.
            fingerprint
                what stays the same as long as the text does.

            With --budget it is one object: counter; files and sets, each with name, before, after and saved. With
            --statistics it is a list of code, name, count and tokens.
            """,
    },
    "ctxkit models list": {
        "JSON": """
            With --json each model is one object on a line: name, window, max_output (null where not known),
            tokenizer, as_of (the day of the window, null where it is the publisher's for good) and source.
            """,
    },
    "ctxkit models show": {
        "JSON": """
            With --json one object is printed: name; window, max_output and tokenizer, each an object of value,
            source and as_of; exact, whether the tokenizer is the model's own; in_force, the window with which commands
            work here; and hosts, an array of objects of window, max_output and hosts, those that offer them.
            """,
    },
    "ctxkit trust": {
        "TRUST": """
            Trusted directories stand in the list trusted of your own settings file, which neither a project nor the
            environment can change:

                trusted = ["~/src/mine", "~/work/*"]

            DIR is one directory, and DIR/* is each directory directly below DIR; there are no other patterns. Links are
            resolved first. A directory is trusted, not its content: what its settings file says after the next pull
            holds too. Subdirectories with a settings file of their own are not trusted with it.

            Without a terminal to ask on, and without --yes, what would hold is shown, nothing is changed, and the
            answer is 1. All else in the file stays as it is.

            Even from a trusted project no key (CTXKIT_API_KEY, OPENAI_API_KEY) is sent: an address gets one only from
            the command line, the environment or your own file.
            """,
        "JSON": """
            With --json one object is printed: directory; trusted, whether it is now; changed, whether this call made it
            so; and unlocks, an array of objects of key, value, path and line. With --list it has file and trusted.
            """,
    },
    "ctxkit doctor": {
        "WHAT IS LOOKED AT": """
            The program and the Python it runs on; the libraries, grammars and vocabularies, each loaded; what is
            stored, and the database beside it; the directories; every setting, with what they come to for a command
            without options; the extras that are not installed; and the default local model for summaries, where other
            programs keep models. Passwords in addresses are not shown.
            """,
        "JSON": """
            With --json one object is printed: well, whether nothing needs you, and checks, an array of objects of
            topic, name, value, state (ok, absent or bad) and hint.
            """,
    },
    "ctxkit session": {
        "LEDGER": """
            A session is what one conversation has used of its window. Its name is up to 128 letters, digits and
            . _ - : and begins with neither a dot nor a dash. --session, or CTXKIT_SESSION, names it to
            ctxkit-gate(1), ctxkit-run(1), ctxkit-brief(1) and ctxkit-cache-get(1), which book what they let in.

            Only what passed ctxkit is known to it. After each answer of a model, session reset says what its
            host counted; after a compaction, what is left.

            Stored content that a session of the last 30 days refers to is not collected. Sessions are kept in the
            database that also holds the index; one that is damaged is set aside and begun anew.
            """,
        "HISTORY": """
            Whatever a harness gives to ctxkit-session-append(1) stays in the session's history: a file of JSON lines
            below the data directory, to which lines are only ever added. No compaction touches it. What the model is
            sent instead of all of it is the session's snapshot: see ctxkit-snapshot(1).
            """,
    },
    "ctxkit session append": {
        "LINES": """
            An entry of JSON lines is added as it is. An element of a JSON document becomes a line of its own: where it
            spans lines, the blanks between its values go, and the values keep their text. ChatML becomes objects of
            role and content. The file is UTF-8; UTF-16 is turned into it. What stands beside the messages of a
            document, such as a system prompt or tools, is no part of a history, which a warning says.

            All messages of a call are added in one write, or none are. Calls at the same time wait for each other up
            to five seconds. A line that a crash cut short stays where it is and is closed by the next call; whoever
            reads the history skips it with a warning.
            """,
        "TOKENS": """
            What is added is counted as ctxkit-count(1) counts the messages, and booked as one item. With the first
            messages of a history, what stands beside and around them is booked too. Tool output that passed
            ctxkit-gate(1) under the session is on the ledger already: add the message that carries it with
            --no-count, or let it pass the gate without --session. Where the ledger cannot be used, the messages are
            added all the same, with a warning.
            """,
        "JSON": """
            With --json one object is printed: session; added, the number of lines; first, the number of the first of
            them; lines and bytes of the history now; tokens and method (exact or estimate) of what was booked, null
            where nothing was.
            """,
    },
    "ctxkit session history": {
        "LINES": """
            Lines are counted from 1, as sed counts them in the file. --since takes an age before now (90s, 30m, 24h,
            7d) or a time as ISO 8601 has it, in local time unless it names a zone; when lines were added is kept
            beside the history.
            """,
        "JSON": """
            With --json each line is one object: line, its number; added, when that was, in seconds since 1970, null
            where it is not known; and entry, the line as it is.
            """,
    },
    "ctxkit snapshot": {
        "SNAPSHOTS": """
            A session has one snapshot, the newest: a conversation in any format, with its tokens and the number of
            lines of the history that it stands for. Snapshots are kept in the database that also holds the ledger,
            however large they are. Stored content whose ref a snapshot mentions is not collected while it is there.

                session=$(ctxkit session new --model qwen3-30b)
                ctxkit session append $session turn.json
                ctxkit compact --session $session chat.jsonl > smaller.jsonl
                ctxkit snapshot resume $session
            """,
    },
    "ctxkit snapshot save": {
        "COVERAGE": """
            A snapshot stands for the lines that the history has when it is saved. Where messages may be appended while
            the conversation is being made smaller, --covers says how many lines there were before.

            --compacted re-anchors the ledger: what is used is then what the snapshot takes, and the compaction is
            counted.
            """,
        "JSON": """
            With --json one object is printed: session, format, messages, tokens, method (exact or estimate), covers
            (lines of the history that it stands for) and created (seconds since 1970).
            """,
    },
    "ctxkit snapshot load": {
        "JSON": """
            With --json the object is printed that ctxkit-snapshot-save(1) describes.
            """,
    },
    "ctxkit snapshot resume": {
        "JSON": """
            With --json one object is printed: session; from (snapshot or history); covers, the lines of the history
            that the snapshot stands for; created, when it was saved, null without one; appended, how many lines came
            after it; and content, or content_base64 where that is not UTF-8.
            """,
    },
    "ctxkit snapshot list": {
        "JSON": """
            With --json each line is one object, with the members that ctxkit-snapshot-save(1) describes.
            """,
    },
    "ctxkit edit": {
        "RANGES": """
            Messages are numbered in the order in which a model reads them: of a session with branches those of the
            newest one, after a compaction its summary first. A:B is from A to B, A: from A to the end, :B up to B, A
            that one alone, and, after a --, -N: the last N. After an edit the numbers behind it change.

            A system prompt stays, and so does what only its provider can read. A range that would leave a conversation
            that its API refuses is refused, with the next larger range that may go: a call goes with its result, a
            response with all its parts, a loop of calls that begins with reasoning as a whole, and where the API
            demands that roles alternate, they do. --expand takes that range.

            What holds for every conversation (see ctxkit-compact(1)) is checked on what is written. Everything that is
            not taken out keeps its bytes, but for the links of entries that followed one that was.
            """,
        "UNDOING": """
            The messages are stored before anything is written, with a record of the edit, whose ref stands on stderr.
            Its changes have the members of those in the manifest of a compaction.
            ctxkit-edit-restore(1) finds the record by what the conversation holds, and puts the bytes back. What was
            stored for an edit in place is kept as long as FILE is there; otherwise it is collected like all content
            that nobody reads: see ctxkit-cache-gc(1). With the setting store = false nothing is stored, and an edit
            cannot be undone.

            --in-place replaces FILE at once or not at all, and not where somebody else has written to it meanwhile.
            """,
    },
    "ctxkit edit list": {
        "ROWS": """
            A row gives the numbers of a range, its tokens, what it is, and how it begins: system; summary, which
            stands for earlier messages; request, of the user, with all that it led to; or start, what stands before
            the first request. With --by message it is the role. A mark, *, says that the range holds a message that
            has to stay. All rows, and what stands beside and around the messages, add up to what ctxkit-count(1) says.
            """,
        "JSON": """
            With --json each row is one object: from, to, what, tokens, method (exact or estimate), calls (tool calls in
            it), stays and title. The last one holds total (true), messages, tokens, method, beside (tokens that are no
            message's) and format.
            """,
    },
    "ctxkit edit remove": {
        "JSON": """
            With --json one object is printed instead of the conversation: from, to and removed, the messages that were
            taken out; before and after, the tokens of the whole; method, exact or estimate; ref, the record of the
            edit, null where nothing is stored; and, without --in-place, content.
            """,
    },
    "ctxkit edit summarize": {
        "SUMMARY": """
            TEXT is put after a line that names the messages and the command that prints them, in a message of the
            user. Where the API wants roles to alternate, it becomes part of the next message of the user, or of the one
            before.
            """,
        "JSON": """
            With --json the object is printed that ctxkit-edit-remove(1) describes.
            """,
    },
    "ctxkit edit restore": {
        "JSON": """
            With --json one object is printed: from, to and restored, the messages that came back; tokens, what they
            take; ref, what was stored of them; and, without --in-place, content.
            """,
    },
    "ctxkit session status": {
        "JSON": """
            With --json one object is printed. Its members:

            session, model
                the session's name, and its model, null where only a window was named.
            window, reserve
                in tokens. A member assumed, true, says that nobody named the window yet.
            used
                the tokens that have entered.
            held
                the tokens that calls under way have been promised.
            available
                window less reserve, used and held.
            estimated
                those of the used tokens that nobody could count exactly.
            items, gatings, compactions
                how many contents have entered, how many of them as a map, and how often the conversation was compacted.
            tight
                whether it has reached compact_trigger of the effective window.
            blocked
                whether it has reached hard_block: ctxkit-gate(1) then lets in maps alone, unless told to --admit.
            created, updated
                when it began and when it was last used, in seconds since 1970.
            """,
    },
    "ctxkit session list": {
        "JSON": """
            With --json each line is one object, with the members that ctxkit-session-status(1) describes.
            """,
    },
    "ctxkit usage": {
        "WHAT IS READ": """
            An answer as the API sent it; a stream of one, as events (data: lines) or as JSON lines, headers of HTTP
            before it being passed over; a log of several, one a line; or a session of an agent that keeps what each
            request took: of Claude Code, Codex, pi, Gemini CLI, OpenCode, Qwen Code, OpenHands and mini-swe-agent, and
            messages that LangChain dumps. Chat Completions and
            Responses of OpenAI, and of those that answer as it does, Messages of Anthropic, Gemini, Ollama and
            llama.cpp are known, and a usage object alone. Of a stream of Chat Completions, only a request with
            stream_options.include_usage has usage in its last chunk. What adds up several requests, as claude -p and
            codex exec do at their end, is no answer.

            Of several answers the last is shown, and all are added up. Where the last one failed, the usage is that
            of the last one which did not, since that is what is in context. Answers of subagents, which Claude Code
            keeps in the same file, are left out unless there are no others.
            """,
        "COUNTS": """
            Providers count differently. The input_tokens of Anthropic leave out what a cache had or got; the prompt
            of OpenAI and of Gemini has it in. Gemini counts thoughts beside the answer, OpenAI within it. Here the
            input is in four parts that add up to all that was read, and output has all that was written, reasoning
            too. In context is both together: what the next request begins with. That is the number which --session
            tells the ledger, as ctxkit-session-reset(1) would.

            What Anthropic reports as written to a cache without saying for how long is five minutes, its default.
            Ollama does not report what its cache had; an older one leaves a prompt that it had whole out of the count.
            """,
        "STOP": """
            end
                the model had no more to say.
            length
                the limit of the output was reached.
            tool
                it calls a tool of the caller, also where the provider says stop.
            stop_sequence
                a stop sequence came.
            content_filter, refusal
                the provider held something back, or the model declined.
            pause
                a turn of tools that the provider runs goes on: send the answer back.
            context_exceeded
                the window was full before the answer was done.
            compaction
                the provider compacted the conversation.
            error, aborted
                there is no whole answer; message has what the provider said.
            unknown
                it does not say, or in a word that is not known.
            """,
        "JSON": """
            With --json one object is printed. Its members:

            source, model
                whose answer it is (openai, responses, anthropic, gemini, gemini-cli, ollama, llama.cpp, pi or codex),
                and the model that it names, else null.
            input_uncached, cache_read, cache_write_5m, cache_write_1h
                the parts of the input, in tokens; these and the next ones are null where no answer has usage.
            output, reasoning
                what was written, and the part of it that was reasoning, null where that is not said.
            context_total
                all of the input, and the output.
            input, total
                the sum of the four parts, and context_total once more.
            stop, stop_raw
                why the answer ended, and the provider's own word for it, null where it has none.
            message
                what the provider said of an error, else null.
            answers
                how many answers were found.
            all
                an object of the counts of all answers together.
            """,
    },
}
"""Sections that stand between the options and the statuses, by the words that call the verb."""
