"""The kinds of content, one file each: NAME, TYPES, sniff and outline."""
