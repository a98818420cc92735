"""The rules as plain data, and the small arrays that are compiled from it.

In: nothing. Out: a frozen ``RuleSet`` and its ``Tables``; ``rules`` plays by them.
Start with ``rulesets.py``, the presets and their options; ``ruleset.py`` defines
a rule set. ``compiled.py`` makes the tables, from ``auction_tables.py``,
``card_tables.py`` and ``score_tables.py``.
"""
