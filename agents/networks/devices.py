"""Devices: find them, move tensors to them, and run a network's functions on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor


def present(name: str) -> torch.device:
    """Return the device with a name, after a check that it works.

    Raises:
        ValueError: this machine has no such device, or this build of torch does not support it.
    """
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"device {name!r} is not available ({reason}); cpu always is") from None


def moved(tensor: Tensor, device: torch.device) -> Tensor:
    """Return a tensor on a device. The copy to a GPU is asynchronous, from pinned memory."""
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


def settle(device: torch.device) -> None:
    """Wait until a device has finished its work."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def built(
    function: Callable[..., Tensor], device: torch.device, bfloat16: bool, compiled: bool
) -> Callable[..., Tensor]:
    """Return a network's function, compiled or with its matrices in bfloat16 where asked."""
    run = torch.compile(function, dynamic=True) if compiled else function
    if not bfloat16:
        return run

    def narrow(*arguments: Tensor) -> Tensor:
        with torch.autocast(device.type, torch.bfloat16):
            return run(*arguments)

    return narrow


@contextmanager
def side_by_side(device: torch.device) -> Iterator[Callable[..., Iterable[Any]]]:
    """Yield a ``map`` that runs the actor and the critic in parallel, if there are two threads.

    Each network gets half of the threads. Two networks with one thread each are faster than one
    after the other with two threads, because their matrices are small. On a GPU, or with a single
    thread, it is the built-in ``map``.
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
