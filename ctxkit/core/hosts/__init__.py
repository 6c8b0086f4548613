"""What agent hosts are like: the scripts that they run, and the files that configure them."""
