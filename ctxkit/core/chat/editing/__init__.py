"""The interfaces of conversation formats, and edits of their text that keep all other bytes."""
