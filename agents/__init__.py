"""Trains agents and measures policies; runs from the checkout.

Start with ``policy.py``: it loads a policy by its name, and every script takes these names. The
rooms, from the ground up: ``common``, ``networks``, ``checkpoints``, ``evaluation``, ``learning``,
``runs``, ``speed``. A room imports only from rooms below it (``tests/test_floors.py``).
"""
