"""Content kinds, one module each, with NAME, TYPES, sniff and outline."""
