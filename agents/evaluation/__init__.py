"""What a policy is worth, and how it plays. It knows policies alone: no network, no learner.

In: policies and a rule set. Out: edges with intervals, ``results.json``, tables, ratings.
Start with ``edge.py``: it deals (``dealsets.py``), seats (``duplicate.py``) and plays
(``playout.py``). ``report.py`` knows ``results.json`` and nothing else.
"""
