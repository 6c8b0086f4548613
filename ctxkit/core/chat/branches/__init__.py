"""The active path through a branching conversation, and the text of a conversation after a change."""
