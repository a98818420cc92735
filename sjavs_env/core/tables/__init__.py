"""What the rules are: plain data, and the small arrays that are compiled from it.

In: nothing. Out: a frozen ``RuleSet`` and its ``Tables``, which the rules play by.
Start with ``rulesets.py``, the presets and their options; ``ruleset.py`` says what
a rule set holds. ``compiled.py`` makes the tables, from ``auction_tables.py``,
``card_tables.py`` and ``score_tables.py``.
"""
