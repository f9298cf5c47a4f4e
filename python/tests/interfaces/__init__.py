"""Interfaces of programs that are too large to install for a test: what the adapters use of them, and nothing else."""
