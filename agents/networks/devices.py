"""Where tensors live, and how functions of networks run there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor


def present(name: str) -> torch.device:
    """Return a device of this machine.

    Raises:
        ValueError: this machine, or this torch, has no such device.
    """
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"device {name!r} is not there ({reason}); cpu always is") from None


def moved(tensor: Tensor, device: torch.device) -> Tensor:
    """Return a tensor on a device; to a GPU it goes while the program goes on."""
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


def settle(device: torch.device) -> None:
    """Return when a device has done all that it was asked to."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def built(
    function: Callable[..., Tensor], device: torch.device, bfloat16: bool, compiled: bool
) -> Callable[..., Tensor]:
    """Return a network's function compiled, or with its matrices in bfloat16, or as it is."""
    run = torch.compile(function, dynamic=True) if compiled else function
    if not bfloat16:
        return run

    def narrow(*arguments: Tensor) -> Tensor:
        with torch.autocast(device.type, torch.bfloat16):
            return run(*arguments)

    return narrow


@contextmanager
def side_by_side(device: torch.device) -> Iterator[Callable[..., Iterable[Any]]]:
    """Give a ``map`` that works on actor and critic at once where two threads are to be had.

    Two networks on a thread each are faster than both on two, for their matrices are small.
    """
    threads = torch.get_num_threads()
    if device.type != "cpu" or threads < 2:
        yield map
        return
    torch.set_num_threads(threads // 2)
    try:
        with ThreadPoolExecutor(2) as pool:
            yield pool.map
    finally:
        torch.set_num_threads(threads)
