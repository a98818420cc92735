"""The processes of a data-parallel run, and what they work out together.

``torchrun`` starts them; a process by itself is a group of one, for which nothing is set up and
every answer is its own. All processes of a group ask for the same things in the same order.
"""

from __future__ import annotations

import math
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from types import FrameType
from typing import NoReturn, TypeVar, cast
from weakref import ReferenceType

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, distributed, nn

Connections = ReferenceType[distributed.ProcessGroup]
"""What torch keeps until all processes part; torch calls it a process group."""
T = TypeVar("T")
Net = TypeVar("Net", bound=nn.Module)

_PATIENCE = timedelta(hours=2)
"""How long the others wait while the first measures; a process that died is noticed at once."""


class LostError(RuntimeError):
    """Another process of the group has ended or cannot be reached."""


class FirstFailedError(RuntimeError):
    """The first process could not make what all need; it says itself why."""


@dataclass(frozen=True)
class Group:
    """A process among those that train together.

    Attributes:
        rank: Its number, from 0; the first, 0, writes, prints and measures for all.
        size: Number of processes on all machines.
        local_rank: Its number among those of its machine.
        connections: What numbers and objects go through; None in a group of one.
    """

    rank: int = 0
    size: int = 1
    local_rank: int = 0
    connections: Connections | None = None

    @property
    def first(self) -> bool:
        """Whether this process speaks for all."""
        return self.rank == 0

    def sum(self, numbers: Sequence[float]) -> list[float]:
        """Return sums over all processes, number by number."""
        if self.connections is None:
            return list(numbers)
        total = torch.tensor(numbers, dtype=torch.float64)
        with self._reaching():
            distributed.all_reduce(total, group=self.connections())
        return total.tolist()

    def gather(self, number: int) -> list[int]:
        """Return the number that each process has, by rank."""
        own = [number if rank == self.rank else 0 for rank in range(self.size)]
        return [int(each) for each in self.sum(own)]

    def mean(self, values: NDArray[np.floating | np.bool_]) -> float:
        """Return the mean of the values of all processes, NaN if there are none."""
        if self.size == 1:
            return float(values.mean()) if len(values) else math.nan
        total, number = self.sum([float(values.sum(dtype=np.float64)), len(values)])
        return total / number if number else math.nan

    def variance(self, values: NDArray[np.floating]) -> float:
        """Return the variance of the values of all processes."""
        if self.size == 1:
            return float(values.var())
        return self.mean(np.square(values.astype(np.float64) - self.mean(values)))

    def from_first(self, make: Callable[[], T]) -> T:
        """Return what the first process makes; the others make nothing.

        Raises:
            FirstFailedError: on the others, where the first raised something.
        """
        if self.connections is None:
            return make()
        answer: list[tuple[bool, T | None]] = [(False, None)]
        try:
            if self.first:
                answer[0] = True, make()
        finally:
            with self._reaching():
                distributed.broadcast_object_list(answer, src=0, group=self.connections())
        done, made = answer[0]
        if not done:
            raise FirstFailedError
        return cast(T, made)

    def alike(self, net: Net) -> Net:
        """Give a network the weights that the first process's has, and return it.

        One seed makes the same weights but for the last digits, where processors differ.
        """
        if self.size > 1:
            net.load_state_dict(self.from_first(net.state_dict))
        return net

    def portion(self, batch: int) -> int:
        """Return how many deals of a batch fall to each process.

        Raises:
            ValueError: they cannot be shared out evenly.
        """
        if batch % self.size:
            fit = max(round(batch / self.size), 1) * self.size
            raise ValueError(
                f"batch = {batch} deals cannot be shared out evenly among {self.size} processes; "
                f"the nearest that can is {fit}"
            )
        return batch // self.size

    def placed(self, device: str) -> str:
        """Return the name of this process's own device: on each GPU of a machine there is one."""
        return f"cuda:{self.local_rank}" if device == "cuda" and self.size > 1 else device

    def adder(self, device: torch.device) -> Callable[[Iterable[Tensor]], None]:
        """Return a function that replaces tensors by their sums over all processes.

        Each adder has connections of its own, so that two threads, with one each, may add at the
        same time: whichever is first on one process, what belongs together meets.
        """
        if self.size == 1:
            return lambda tensors: None
        if device.type == "cuda":
            torch.cuda.set_device(device)
        backend = "nccl" if device.type == "cuda" else "gloo"
        with self._reaching():
            connections = _connections(backend)

        def add(tensors: Iterable[Tensor]) -> None:
            parts = list(tensors)
            vector = nn.utils.parameters_to_vector(parts)
            with self._reaching():
                distributed.all_reduce(vector, group=connections())
            nn.utils.vector_to_parameters(vector, parts)

        return add

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Say of whatever fails between processes what it means for the run."""
        try:
            yield
        except RuntimeError as error:
            raise LostError(
                f"process {self.rank} of {self.size} lost another, which ended or cannot be "
                f"reached ({_reason(error)})"
            ) from error


ALONE = Group()
"""A process by itself."""


@contextmanager
def joined() -> Iterator[Group]:
    """Give the group that ``torchrun`` started this process in, or a group of one.

    Raises:
        LostError: the others cannot be reached; or, later on and from whatever the process is
            doing, it is told to end.
    """
    if not distributed.is_torchelastic_launched():
        yield ALONE
        return
    try:
        distributed.init_process_group("gloo", timeout=_PATIENCE)
        size = distributed.get_world_size()
        connections = _connections("gloo") if size > 1 else None
    except RuntimeError as error:
        raise LostError(f"a process cannot reach the others ({_reason(error)})") from error
    group = Group(distributed.get_rank(), size, distributed.get_node_local_rank(), connections)

    def end(number: int, frame: FrameType | None) -> NoReturn:
        signal.signal(number, signal.SIG_IGN)
        raise LostError(
            f"process {group.rank} of {group.size} was told to end, as torchrun does "
            f"where another has ended"
        )

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield group
        group.sum([0])
        signal.signal(signal.SIGTERM, before)
    except BaseException:
        # torchrun will end this process as well, which has yet to say why it ends.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise
    finally:
        distributed.destroy_process_group()


def _connections(backend: str) -> Connections:
    """Return connections between all processes that nothing but torch keeps.

    They have threads, which must have ended before the interpreter does, or it may abort: so they
    must end when the processes part, whoever still knows a learner that uses them. For the same
    reason torch's default group, which some of its modules keep for good, is never used.
    """
    return ReferenceType(distributed.new_group(backend=backend, timeout=_PATIENCE))


def _reason(error: RuntimeError) -> str:
    """Return torch's reason without the line of its source before it and the advice behind it."""
    return re.sub(r"\[/\S*\] |(\. |\n).*", "", str(error), flags=re.S)


def minibatches(counts: Sequence[int], rank: int, size: int) -> list[tuple[slice, float]]:
    """Return a process's part of every minibatch, with its weight.

    A minibatch spans all processes, and each cuts its own decisions into as many parts. The mean
    over a minibatch is the sum over processes of weight times the mean over the part.

    Args:
        counts: Decisions of each process; none may be 0.
        rank: The process.
        size: The most decisions of a minibatch, if all had as many as the one with the most.
    """
    number = min(-(-len(counts) * max(counts) // size), max(counts))
    found = []
    for part in range(number):
        edges = [(n * part // number, n * (part + 1) // number) for n in counts]
        first, last = edges[rank]
        weight = (last - first) / sum(high - low for low, high in edges)
        # Who has no decision left takes part all the same, with any one at no weight.
        found.append((slice(first, max(last, first + 1)), weight))
    return found
