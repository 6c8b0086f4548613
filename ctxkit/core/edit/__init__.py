"""Taking messages out of a conversation by their numbers, and bringing them back."""
