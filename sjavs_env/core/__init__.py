"""The game itself. Nothing here depends on a framework, an agent or a screen.

In: only numpy. Out: batches of deals, played by the rules.
``tables`` holds the rules as data; ``rules`` plays by them. The files beside this one serve both:
bit arithmetic, errors and checks of arguments.
Start with ``tables/rulesets.py`` to find a rule, with ``rules/machine.py`` to follow a deal.
"""
