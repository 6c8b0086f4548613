"""Opening of content as a conversation in one of the formats."""
