"""Whether a provider would accept a conversation, and repair if it would not."""
