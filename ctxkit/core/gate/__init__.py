"""The one decision, whether content passes unchanged, and its result."""
