"""ctxkit: Unix filters that decide what enters a language model's window."""

__version__ = "0.1.0"
