"""What each exit status means, in general and in one verb."""

from collections.abc import Mapping

from ctxkit.core.exit import Exit

STATUSES = {
    Exit.DONE: "Done, or yes.",
    Exit.NO: "No: it does not fit, is not stored, was not found. Never trouble.",
    Exit.USAGE: "The command line cannot be understood, or asks for what cannot be done.",
    Exit.MALFORMED: "The data is not what its format demands.",
    Exit.MISSING: "An input file is not there or cannot be read.",
    Exit.ABSENT: "A library or a vocabulary that the work needs is not installed.",
    Exit.BUG: "An internal error: please report it. CTXKIT_DEBUG=1 shows where.",
    Exit.IO: "Reading or writing failed, as on a full disk.",
    Exit.LOCKED: "Another process holds what is needed; trying again may help.",
    Exit.CONFIG: "A setting cannot be understood; the message names the file and line, or the variable.",
    Exit.INTERRUPTED: "Interrupted from the keyboard.",
}
"""The meaning of each status, wherever a verb does not say it better."""

_FILE = {66: "FILE is not there, is a directory, or cannot be read."}
_LOCKED = {75: "Another process holds the index; trying again may help."}
_LEDGER = {75: "Another process holds the ledger; trying again may help."}
_HISTORY = {75: "Others are adding to the history for too long; trying again may help."}
_CHAT = {65: "FILE is no conversation, or is malformed; the message names the line.", **_FILE}
_EDIT = {
    1: "The conversation ends before the range begins.",
    2: "The range may not go, or the command line is wrong; the hint names the range that may.",
    **_CHAT,
    75: "FILE was changed meanwhile, or others hold the index; trying again may help.",
}
_REF = {1: "Nothing is stored under REF.", 2: "REF is the beginning of several refs, or the command line is wrong."}

STATUSES_OF: Mapping[str, Mapping[int, str]] = {
    "ctxkit gate": {
        0: "Content, or its map, was written; under --check: it fits.",
        1: "Under --check: it does not fit. Otherwise it is refused: not even the one line that names the content "
        "fits. That line and the reason are on stderr, stdout is empty but for the object of --json, and the content "
        "is stored unless --no-store.",
        2: "The command line is wrong; with --check or under --strict: the window is not known.",
        69: "Under --strict: the vocabulary is not installed.",
        **_FILE,
        74: "Writing failed; under --strict: the content could not be stored, or the ledger not used.",
        75: "With --check or under --strict: another process holds the session's ledger.",
    },
    "ctxkit trust": {
        0: "The directory is trusted, or with --remove no longer; or the list was printed.",
        1: "It is not: the question was answered with no, or not asked. With --remove: a pattern still names it.",
        66: "DIR is not a directory.",
        74: "The settings file could not be written.",
        78: "Your settings file is broken, or written in a way that ctxkit cannot edit.",
    },
    "ctxkit run": {
        0: "CMD ended with 0.",
        1: "CMD ended with 1. As any other status that CMD gives, it is passed on; those below are ctxkit's own, "
        "given when CMD could not be started or ctxkit failed.",
        124: "--timeout stopped CMD.",
        126: "CMD was found but cannot be executed.",
        127: "CMD was not found.",
        130: "CMD ended on an interrupt: 128+n says that signal n ended it.",
    },
    "ctxkit brief": {
        0: "The map was written.",
        1: "The target is too small even for one line; that line is on stderr.",
        **_FILE,
        69: "The vocabulary is not installed.",
    },
    "ctxkit compact": {
        0: "The conversation was written, be it as it came; under --check: nothing is broken.",
        1: "It does not fit, whatever is done: it is written as it came, and the reason is on stderr. Under --check: "
        "something is broken. Under --restore: the original is not stored, or no longer.",
        2: "The command line is wrong; under --strict: the window is not known.",
        65: "FILE is no conversation, or is malformed; the message names the line. MANIFEST is no manifest.",
        66: "FILE or MANIFEST is not there, is a directory, or cannot be read.",
        69: "Under --strict: the vocabulary or the summarizer is not there.",
        74: "Writing failed; under --strict: something could not be stored. Under --restore: what is stored is "
        "damaged.",
        75: "Under --strict: another process holds the index or the ledger.",
    },
    "ctxkit cache": {},
    "ctxkit cache put": {0: "Stored; the ref was written.", **_FILE},
    "ctxkit cache get": {
        0: "What was asked for was written.",
        1: "Nothing is stored under REF and there is no such file, no line or byte is in the range, no line matches, "
        "or under --gate nothing fits.",
        2: _REF[2],
        65: "Under --json-path: the content is no JSON; the message names the line.",
        66: "FILE cannot be read.",
        69: "Under --gate: the vocabulary is not installed.",
    },
    "ctxkit cache list": {0: "Listed, be it nothing.", **_LOCKED},
    "ctxkit cache path": {0: "The path was written.", **_REF},
    "ctxkit cache rm": {
        0: "Removed.",
        1: "Nothing is stored under one of the REFs; nothing was removed.",
        2: _REF[2],
        **_LOCKED,
    },
    "ctxkit cache gc": {0: "Done, be it that nothing was to remove.", **_LOCKED},
    "ctxkit cache stat": {0: "Said.", **_LOCKED},
    "ctxkit count": {
        0: "Counted; under --max: it is no more than N.",
        1: "Under --max: it is more than N tokens.",
        65: "A conversation is malformed, the message names the line; or --by, --input or --format wants a "
        "conversation and there is none.",
        66: "A FILE is not there, is a directory, or cannot be read; the others were counted.",
        69: "The vocabulary is not installed.",
    },
    "ctxkit cache search": {0: "Found.", 1: "Nothing is found.", 2: "There is no word to search for.", **_LOCKED},
    "ctxkit session": {},
    "ctxkit session new": {
        0: "Begun; the id was written.",
        2: "There is a session of that name, or no window is known.",
        65: "--tokenizer names a file that is no tokenizer.json and no GGUF file.",
        66: "--tokenizer names a file that is not there or cannot be read.",
        **_LEDGER,
    },
    "ctxkit session status": {0: "Said.", 1: "There is no such session.", **_LEDGER},
    "ctxkit session reset": {0: "Done.", 1: "There is no such session.", **_LEDGER},
    "ctxkit session list": {0: "Listed, be it nothing.", **_LEDGER},
    "ctxkit session append": {
        0: "Added; where the ledger could not be used there is a warning, and nothing is booked.",
        1: "There is no such session.",
        65: "FILE is no conversation, or is malformed; the message names the line. Nothing is added.",
        **_FILE,
        69: "Under --strict: the vocabulary is not installed.",
        75: "Others are adding to the history for too long; or, under --strict, hold the ledger.",
    },
    "ctxkit session history": {
        0: "Written, be it nothing.",
        1: "There is no such session, or its history ends before the range begins.",
        **_HISTORY,
    },
    "ctxkit snapshot": {},
    "ctxkit snapshot save": {
        0: "Saved.",
        1: "There is no such session, or its history has fewer lines than --covers says.",
        65: "FILE is no conversation, or is malformed; the message names the line.",
        **_FILE,
        69: "Under --strict: the vocabulary is not installed.",
        **_LEDGER,
    },
    "ctxkit snapshot load": {0: "Written.", 1: "The session has no snapshot.", **_LEDGER},
    "ctxkit snapshot resume": {0: "Written.", 1: "The session has neither a snapshot nor a history.", **_LEDGER},
    "ctxkit snapshot list": {0: "Listed, be it nothing.", **_LEDGER},
    "ctxkit snapshot rm": {0: "Removed.", 1: "One of the sessions has no snapshot; nothing was removed.", **_LEDGER},
    "ctxkit edit": {},
    "ctxkit edit list": {0: "Listed.", **_CHAT},
    "ctxkit edit remove": {0: "The conversation was written.", **_EDIT},
    "ctxkit edit summarize": {0: "The conversation was written.", **_EDIT},
    "ctxkit edit restore": {
        0: "The conversation was written.",
        1: "No edit is known that led to it, or what it took out is not stored any more.",
        **_FILE,
        75: "FILE was changed meanwhile; trying again may help.",
    },
    "ctxkit session rm": {0: "Removed.", 1: "There is no such session; nothing was removed.", **_LEDGER},
    "ctxkit cache verify": {0: "Everything is what its ref says.", 1: "Something is not."},
    "ctxkit usage": {
        0: "Said, be it that the answer is an error.",
        1: "There is no such session; or nothing says what the request took, so that it was not told.",
        65: "No usage and no error is found, or a line is malformed: the message names it.",
        66: "FILE is not there, is a directory, or cannot be read.",
        **_LEDGER,
    },
    "ctxkit dedupe": {
        0: "Nothing is found that is as bad as --fail-level says; or the rules are explained.",
        1: "Something is found, or, with --diff, fixes would change something.",
        2: "No rule has the name that was given, or options do not go together.",
        65: "A line on stdin, or a baseline, is malformed; the message names it.",
        66: "PATH, the baseline or the prompt is not there, or cannot be read.",
        74: "A mended file or a baseline could not be written.",
        75: "A file changed while it was being mended, and stays as it is.",
        78: "A setting cannot be understood; the message names file and line.",
    },
    "ctxkit models list": {0: "Listed.", 1: "No model is like PATTERN."},
    "ctxkit models show": {0: "Shown.", 2: "No model is known by NAME; the message names those nearest."},
    "ctxkit doctor": {
        0: "All is well, or something that could be had is not there.",
        1: "Something needs you: a line that begins with !. A setting that cannot be understood is one too.",
    },
}
"""Statuses that mean something of their own in one verb, by the words that call it."""
