"""Find secrets in text, and mask them."""
