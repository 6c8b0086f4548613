"""What the window of a conversation holds, and how that changed."""
