"""What other programs need to read calls with toolglot: each module is one adapter, and imports its program by itself."""
