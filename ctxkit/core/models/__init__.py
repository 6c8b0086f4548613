"""What is known of a model: its context window, its output limit and its tokenizer."""
