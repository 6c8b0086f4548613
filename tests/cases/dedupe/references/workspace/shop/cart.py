"""The cart of a customer."""
