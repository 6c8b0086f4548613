"""Look up models: context window, output limit and tokenizer."""
