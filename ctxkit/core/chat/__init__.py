"""Conversations: their model, their file formats, editing, branches and validity."""
