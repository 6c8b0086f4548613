"""Extraction of a page from the structure of a conversation, without a model."""

from ctxkit.core.context.extract.page import extract

__all__ = ["extract"]
