"""What each setting, variable, file and table of names is, whatever the verb."""

KEYS = {
    "model": "Model whose window and tokenizer hold.",
    "window": "Tokens in the window, whatever the model.",
    "context_budget": "Another name of window, which wins where both are given.",
    "reserve": "Tokens kept for the answer, as a number or a percentage of the window.",
    "max_output_tokens": "Tokens kept for the answer where reserve is not given; without either, 20% of the window.",
    "tokenizer": "Tokenizer to count with, whatever the model.",
    "compact_trigger": "Share of the effective window past which what passes is called tight.",
    "hard_block": "Share of the effective window past which nothing more should enter.",
    "briefing_cap": "Most tokens that a map may take, however much room there is.",
    "result_offload_threshold": "Tokens past which a tool result is better stored than kept in a conversation.",
    "tool_deferral_threshold": "Share of the window past which tool definitions are better looked up than listed.",
    "hint": "How a map says to read a part.",
    "store": "Whether content that does not fit is stored; false does as --no-store.",
    "strict": "Whether to fail where content would otherwise pass with a warning.",
    "events": "File to which decisions are appended, as JSON lines.",
    "cache_dir": "Directory of stored content.",
    "data_dir": "Directory of the index.",
    "cache_max_age": "Age past which content that nobody read is removed.",
    "cache_max_size": "Size past which the content that was read longest ago is removed.",
}
"""What each setting is."""

ALSO_READ = {"ctxkit cache": ("cache_dir", "data_dir")}
"""Settings that no option stands for and that the verbs below one live by."""
DEBUG = "Anything but 0 shows a traceback for an internal or system error."
ELSEWHERE = {True: "Every setting, and the files that hold them, are in", False: "The settings are described in"}
"""The sentence that leads to the page with all settings, after others or alone."""

TYPES = (
    "What content is, and which language source code is in, is told from its bytes and its name. Where that goes "
    "wrong, --type takes one of:"
)
MODELS = (
    "The models known by name, each with its window in tokens and its tokenizer. A provider's prefix, as in "
    "qwen/qwen3-8b, and letter case are ignored. A host may offer less: --window wins. For any other model --window "
    "says how large it is, and tokens are estimated unless --tokenizer is given."
)
TOKENIZERS = (
    "Names that --tokenizer takes. An exact one has the model's own vocabulary, which comes with the program: "
    "nothing is downloaded. An estimate is labelled as one wherever it is printed, and what must fit is held "
    "against its high end."
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
~/.local/share/ctxkit/ctxkit.db
    the index: names and tools of what is stored ($XDG_DATA_HOME, CTXKIT_DATA_DIR). Losing it loses no content.
"""
