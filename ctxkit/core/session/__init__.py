"""What a conversation has used of its context window."""
