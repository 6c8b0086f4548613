"""What a request took, and why its answer ended, in the same words whoever the provider is."""
