"""CONTEXT.md: what a conversation that leaves the window says, on one page of fixed shape."""
