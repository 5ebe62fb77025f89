"""The corpus of image differences of scripts/difference-corpus.py."""
