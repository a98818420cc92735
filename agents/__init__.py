"""Learns, searches and measures; runs from the checkout.

``policy.py`` is the door: every policy has a name, and every script takes it. Rooms, from the
ground up: ``common``, ``networks``, ``checkpoints``, ``evaluation``, ``learning``, ``runs``,
``speed``. A room imports from those below it alone (``tests/test_floors.py``).
"""
