"""ctxkit: Unix filters that decide which content enters a language model's window."""

__version__ = "0.1.0"
