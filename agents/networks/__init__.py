"""What a network reads, and what it is.

In: packed words and legal actions. Out: log-probabilities, values, a ``NetPolicy``.
Start with ``features.py``: it reads words in slots (``slots.py``) and adds what a card player works
out (``trick_facts.py``, ``holdings.py``, ``stakes.py``). ``nets.py`` holds actor and critic.
"""
