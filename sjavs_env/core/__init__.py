"""The game itself. Nothing here knows a framework, an agent or a screen.

In: nothing but numpy. Out: deals that are played by the rules, many at once.
``tables`` holds what the rules are, as data; ``rules`` plays by them. The files beside this one are
the ground both stand on: bit arithmetic, errors and checks of arguments.
Start with ``tables/rulesets.py`` for a rule and ``rules/machine.py`` for the course of a deal.
"""
