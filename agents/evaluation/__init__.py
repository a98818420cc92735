"""Measures how strong a policy is and how it plays. It knows no network and no learner.

In: policies and a rule set. Out: edges with intervals, ``results.json``, tables, ratings.
Start with ``edge.py``: it takes deals from ``dealsets.py``, seatings from ``duplicate.py``, and
plays them with ``playout.py``. ``report.py`` knows ``results.json`` and nothing else.
"""
