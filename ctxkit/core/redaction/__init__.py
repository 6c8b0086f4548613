"""Secrets in text: their patterns, and masks in their place."""
