"""Networks and their features.

In: packed words and legal actions. Out: log-probabilities, values, a ``NetPolicy``.
Start with ``features.py``: it reads card sets in slots (``slots.py``) and adds derived features
(``trick_facts.py``, ``holdings.py``; ``stakes.py`` for late tricks). ``nets.py`` holds the actor
and the critic.
"""
