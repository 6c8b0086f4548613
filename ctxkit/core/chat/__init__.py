"""Conversations: what they are made of, and the formats that they are kept in."""
