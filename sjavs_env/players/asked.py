"""What a player is asked with, checked before it looks at it."""

from __future__ import annotations

import numpy as np

from sjavs_env.core.arguments import check_array
from sjavs_env.views.layout import N_WORDS, N_WORDS_ALL


def check_asked(words: object, legal: object, keys: object) -> None:
    """Check words, legal actions and keys, each a row for each decision.

    Raises:
        ValueError: one of them is no array, or one of another dtype or shape.
    """
    rows, width = check_array("words", words, np.uint32, (None, None))
    if width not in (N_WORDS, N_WORDS_ALL):
        raise ValueError(f"words must have width {N_WORDS}, or {N_WORDS_ALL}, not {width}")
    check_array("legal", legal, np.uint64, (rows,))
    check_array("keys", keys, np.uint64, (rows,))
