"""Where bytes come in and go out: files, settings, options, rendering."""
