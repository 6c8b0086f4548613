"""Check the libraries and files that the engines need, one module per topic."""
