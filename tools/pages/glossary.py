"""What each setting, variable, file and table of names is, whatever the verb."""

KEYS = {
    "model": "Model whose window and tokenizer hold.",
    "session": "Session whose window holds, and whose ledger says what is used of it.",
    "window": "Tokens in the window, whatever the model.",
    "context_budget": "Another name of window, which wins where one source gives both.",
    "reserve": "Tokens kept for the answer, as a number or a percentage of the window.",
    "max_output_tokens": "Tokens kept for the answer where one source gives no reserve; without either, 20%.",
    "tokenizer": "Tokenizer to count with, whatever the model.",
    "calibration": "How far estimates were off, a table that ctxkit count --calibrate writes.",
    "compact_trigger": "Share of the effective window past which what passes is called tight.",
    "hard_block": "Share of the effective window past which nothing more should enter.",
    "briefing_cap": "Most tokens that a map may take, however much room there is.",
    "low_water": "Share of the effective window that a compaction aims at.",
    "keep_recent": "Tokens of the newest messages that a compaction leaves; 0 is the least of 20,000 and a quarter.",
    "keep_last": "How many of the newest messages a compaction leaves; 0 goes by keep_recent.",
    "summarizer": "Who writes the summary of a compaction.",
    "result_offload_threshold": "Tokens past which a tool result is better stored than kept in a conversation.",
    "tool_deferral_threshold": "Share of the window past which tool definitions are better looked up than listed.",
    "hint": "How a map says to read a part.",
    "lint": "What ctxkit dedupe looks for and what files may cost, a table.",
    "store": "Whether content that does not fit is stored; false does as --no-store.",
    "redact": "Whether to mask keys and passwords before anything enters or is stored, as --redact does.",
    "never_store": "Globs, one a line; the output of a command that matches one is never stored.",
    "strict": "Whether to fail where content would otherwise pass with a warning.",
    "events": "File to which decisions are appended, as JSON lines.",
    "cache_dir": "Directory of stored content.",
    "data_dir": "Directory of the index.",
    "cache_max_age": "Age past which content that nobody read is removed.",
    "cache_max_size": "Size past which the content that was read longest ago is removed.",
    "trusted": "Directories whose projects may set everything, a list; DIR/* is each directory directly below DIR.",
}
"""What each setting is."""

PROJECT = (
    "A project's settings file is often a stranger's. It may set what this table says, and what it says of a model in "
    "its table models follows the same rule. Anything else that it says does not hold, with a warning, unless your own "
    "settings file lists its directory: see ctxkit-trust(1). A file that belongs to another user than you or root is "
    "not read."
)
"""What stands before the table of what a project may set."""
NOT_FOR_PROJECTS = {False: "no, unless trusted", True: "no"}
"""Whether a project may set what is not for projects: never, where it is for the user's file alone."""
ALSO_READ = {
    "ctxkit compact": ("cache_dir", "data_dir", "compact_trigger", "hard_block"),
    "ctxkit cache": ("cache_dir", "data_dir"),
    "ctxkit session": ("data_dir",),
    "ctxkit snapshot": ("data_dir",),
    "ctxkit edit": ("cache_dir", "data_dir"),
    "ctxkit dedupe": ("lint",),
    "ctxkit run": ("never_store",),
}
"""Settings that no option stands for and that the verbs below one live by."""
DEBUG = "Anything but 0 shows a traceback for an internal or system error."
ELSEWHERE = {True: "Every setting, and the files that hold them, are in", False: "The settings are described in"}
"""The sentence that leads to the page with all settings, after others or alone."""

TYPES = (
    "What content is, and which language source code is in, is told from its bytes and its name. Where that goes "
    "wrong, --type takes one of:"
)
MODELS = (
    "A model's name gives its window in tokens and its tokenizer: ctxkit models list prints the table, and ctxkit "
    "models show says where each number comes from. Letter case, separators, a provider's prefix, a date and a "
    "file's quantization are seen through, as in qwen/qwen3-8b and Qwen3-8B-Q4_K_M.gguf; a name that is not certain "
    "is not known. A host may offer less: --window and the settings win. For any other model --window says how "
    "large it is, and tokens are estimated unless --tokenizer is given."
)
TOKENIZERS = (
    "Names that --tokenizer takes. An exact one has the model's own vocabulary, which comes with the program: "
    "nothing is downloaded. An estimate is labelled as one wherever it is printed, and what must fit is held "
    "against its high end. The path of a tokenizer.json or of a GGUF file, which needs a slash or that ending, is "
    "exact too: kinds that splintr is not proved to read need pip install 'ctxkit[hf]' or 'ctxkit[llama]'."
)

FILES = """
~/.config/ctxkit/config.toml
    the user's settings ($XDG_CONFIG_HOME is honoured; elsewhere than on Linux, the place that the system has for them).
.ctxkit.toml
    the project's settings, in the current directory or the nearest above it, not beyond the repository.
pyproject.toml
    the project's settings too, in its table tool.ctxkit; of both files in one directory .ctxkit.toml holds.
~/.cache/ctxkit/blobs/
    stored content, each file named by its ref ($XDG_CACHE_HOME, CTXKIT_CACHE_DIR).
$TMPDIR/ctxkit-UID/, $TMPDIR/ctxkit-UID-S/
    stored content of the user, or of the user's session S, if no cache directory can be written to.
~/.local/share/ctxkit/ctxkit.db
    the index: names and tools of what is stored; sessions with what they have used, and their snapshots
    ($XDG_DATA_HOME, CTXKIT_DATA_DIR). Losing it loses no content and no history.
~/.local/share/ctxkit/histories/
    the histories of sessions: S.jsonl holds the messages of S, and S.times when they were added.
"""
