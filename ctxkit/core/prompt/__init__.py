"""The system prompt: sections from static to dynamic, so that a provider's prompt cache survives."""
