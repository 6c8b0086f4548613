"""Read and write bytes at the command line: files, settings, options, rendering."""
