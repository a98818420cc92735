"""Speed measurements for ``scripts.benchmark``.

In: a rule set or a configuration. Out: figures, each with a peer or an upper bound from the same
run. Start with ``environment.py`` for decisions per second (``play_loop.c`` is its upper bound),
``updates.py`` for training, ``peer_figures.py`` for other programs.
"""
