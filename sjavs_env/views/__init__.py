"""What a seat, a critic or a person may see of a deal.

In: the ``State``. Out: packed words, features by name, text, a drawing.
Start with ``layout.py``, the table of an observation; ``observe.py`` fills it. For people,
``looker.py`` says what is seen of a row, ``render.py`` writes it as text and ``picture.py`` draws
it; ``transcript.py`` puts a result in words, ``score_sheet.py`` writes the score.
"""
