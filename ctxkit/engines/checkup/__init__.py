"""Looking at the libraries and files that the engines work with: one file a topic."""
