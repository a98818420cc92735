"""Fast linear functions of card sets, by one table lookup for each byte.

A card set is a 32-bit word. The function adds one row of numbers for each card in the set. A table
holds the sums for every value of each of the word's four bytes, so a word needs four lookups.
torch adds the four rows in one pass (``embedding_bag``). This is many times faster than to unpack
the bits and gather their rows.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

_BYTES, _VALUES = 4, 256
_BITS = 8 * _BYTES


class ByteTable(nn.Module):
    """Adds the rows of the bits that are set in a word.

    Args:
        rows: The row of each bit in each context, lowest bit first; float32[contexts, 32, width].
    """

    table: Tensor
    starts: Tensor

    def __init__(self, rows: Tensor) -> None:
        super().__init__()
        contexts, _, self.width = rows.shape
        bits = (torch.arange(_VALUES)[:, None] >> torch.arange(_BITS // _BYTES) & 1).float()
        table = bits @ rows.float().view(contexts * _BYTES, _BITS // _BYTES, self.width)
        self.register_buffer("table", table.reshape(-1, self.width), persistent=False)
        starts = _VALUES * torch.arange(contexts * _BYTES).view(contexts, 1, _BYTES)
        self.register_buffer("starts", starts.int(), persistent=False)

    def forward(self, words: Tensor, contexts: Tensor) -> Tensor:
        """Return the sums, float32[N, n, width], of words int32[N, n] in contexts [N]."""
        n, many = words.shape
        values = words.contiguous().view(torch.uint8).view(n, many, _BYTES)
        found = (values + self.starts[contexts]).view(-1, _BYTES)
        return nn.functional.embedding_bag(found, self.table, mode="sum").view(n, many, self.width)
