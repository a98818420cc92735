"""A training run from its configuration to a shipped agent.

In: a TOML file. Out: a folder with checkpoints, learning curves and results.
Start with ``training.py``, the update; ``config.py`` is the schema, ``loop.py`` goes on until the
budget is spent, ``saving.py`` and ``past.py`` keep it, ``logbook.py`` tells. ``exploit.py`` trains
best responses, ``card.py`` ships.
"""
