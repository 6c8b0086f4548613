"""What use cases share: engines, stores, sessions and workers, each loaded on first use."""
