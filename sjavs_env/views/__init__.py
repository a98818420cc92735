"""What may be seen of a deal: by a seat, by a critic, by a person.

In: the ``State``. Out: packed words, features by name, text.
Start with ``layout.py``, the table of an observation; ``observe.py`` fills it. ``transcript.py``
puts a result in words, ``render.py`` draws the table, ``score_sheet.py`` the score.
"""
