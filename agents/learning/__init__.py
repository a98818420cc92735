"""Learning: rollouts, losses, gradient steps.

In: a ``VectorSjavs`` and networks. Out: networks that play better.
Start with ``rollout.py``, which plays and records; ``league.py`` seats opponents, ``branches.py``
plays out every card. ``ppo.py`` is the learner; ``losses.py`` has what it descends.
"""
