"""Making a conversation smaller: what leaves it, what stands in, and what is remembered of that."""
