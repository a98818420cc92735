"""How a deal goes: the batched machine, and the rubber above it.

In: ``Tables``, a random generator, actions. Out: the ``State`` of many deals at once.
Start with ``machine.py``: it deals (``dealing.py``) and hands each row to the function of its
phase: ``auction.py``, ``naming.py``, ``exchange.py``, ``confirm.py``, ``play.py``. ``scoring.py``
pays a deal, ``rubber.py`` keeps the columns, ``notation.py`` writes and reads deals.
"""
