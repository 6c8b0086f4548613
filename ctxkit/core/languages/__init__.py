"""Which language source code is in."""
