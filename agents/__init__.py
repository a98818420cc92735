"""Learns, searches and measures; runs from the checkout."""
