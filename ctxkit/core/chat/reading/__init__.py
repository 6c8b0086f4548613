"""Opening content as a conversation of one of the formats."""
