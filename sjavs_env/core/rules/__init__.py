"""The course of a deal: the batched machine, and the rubber above it.

In: ``Tables``, a random generator, actions. Out: the ``State`` of a batch of deals.
Start with ``machine.py``. It deals (``dealing.py``) and passes each row to the module of its
phase: ``auction.py``, ``naming.py``, ``exchange.py``, ``confirm.py`` or ``play.py``.
``scoring.py`` scores a deal, ``rubber.py`` keeps the columns, ``notation.py`` reads and writes
deals.
"""
