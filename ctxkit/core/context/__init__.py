"""CONTEXT.md: a one-page summary, in a fixed template, of the messages that leave a conversation."""
