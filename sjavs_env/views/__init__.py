"""What a seat, a critic or a person may see of a deal.

In: the ``State``. Out: packed words, named features, text.
Start with ``layout.py``, the table of an observation; ``observe.py`` fills it. ``transcript.py``
describes the result of a deal, ``render.py`` draws the table, ``score_sheet.py`` the score.
"""
