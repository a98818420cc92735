"""What ``scripts.benchmark`` measures.

In: a rule set or a configuration. Out: figures, each beside a peer or a bound of the same run.
Start with ``environment.py`` for decisions a second (``play_loop.c`` is its bound), ``updates.py``
for training, ``peer_figures.py`` for other programs.
"""
