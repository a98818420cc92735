"""Training runs, from a configuration to a shipped agent.

In: a TOML file. Out: a folder with checkpoints, learning curves and results.
Start with ``training.py``, which makes one update; ``config.py`` is the schema, ``plan.py`` the
list of phases. ``loop.py`` repeats updates until the budget is spent, ``saving.py`` and ``past.py``
write checkpoints and past selves, ``logbook.py`` writes the log. ``exploit.py`` trains best
responses, ``card.py`` ships an agent.
"""
