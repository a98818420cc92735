"""The processes of a data-parallel run: sums, means and gradients over all of them.

``torchrun`` starts the processes. A single process is a group of one; it sets up no connections.
All processes of a group must make the same calls in the same order.
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
"""A weak reference to a process group of torch, which torch keeps until the processes part."""
T = TypeVar("T")
Net = TypeVar("Net", bound=nn.Module)

_PATIENCE = timedelta(hours=2)
"""How long the other processes wait while the first evaluates. A dead process is noticed at once,
without this wait."""


class LostError(RuntimeError):
    """Another process of the group has ended or cannot be reached."""


class FirstFailedError(RuntimeError):
    """The first process failed in a task for all processes; it reports the error itself."""


@dataclass(frozen=True)
class Group:
    """A process in a group of processes that train together.

    Attributes:
        rank: Its number, from 0. The first process, 0, writes, prints and evaluates for all.
        size: Number of processes on all machines.
        local_rank: Its number on its machine, from 0.
        connections: The connections to the other processes; None in a group of one.
    """

    rank: int = 0
    size: int = 1
    local_rank: int = 0
    connections: Connections | None = None

    @property
    def first(self) -> bool:
        """Whether this is the first process, which writes, prints and evaluates for all."""
        return self.rank == 0

    def sum(self, numbers: Sequence[float]) -> list[float]:
        """Return the elementwise sum of the processes' numbers."""
        if self.connections is None:
            return list(numbers)
        total = torch.tensor(numbers, dtype=torch.float64)
        with self._reaching():
            distributed.all_reduce(total, group=self.connections())
        return total.tolist()

    def gather(self, number: int) -> list[int]:
        """Return the number of each process, by rank."""
        own = [number if rank == self.rank else 0 for rank in range(self.size)]
        return [int(each) for each in self.sum(own)]

    def mean(self, values: NDArray[np.floating | np.bool_]) -> float:
        """Return the mean over the values of all processes, NaN if there are no values."""
        if self.size == 1:
            return float(values.mean()) if len(values) else math.nan
        total, number = self.sum([float(values.sum(dtype=np.float64)), len(values)])
        return total / number if number else math.nan

    def variance(self, values: NDArray[np.floating]) -> float:
        """Return the variance over the values of all processes."""
        if self.size == 1:
            return float(values.var())
        return self.mean(np.square(values.astype(np.float64) - self.mean(values)))

    def from_first(self, make: Callable[[], T]) -> T:
        """Call a function in the first process, and return its result in all processes.

        Raises:
            FirstFailedError: in the other processes, if the first process raised an error.
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
        """Copy the weights of the first process's network to this network, and return it.

        The same seed is not enough: on different processors it gives weights that differ in their
        last digits.
        """
        if self.size > 1:
            net.load_state_dict(self.from_first(net.state_dict))
        return net

    def portion(self, batch: int) -> int:
        """Return the number of deals of a batch for each process.

        Raises:
            ValueError: the batch is no multiple of the number of processes.
        """
        if batch % self.size:
            fit = max(round(batch / self.size), 1) * self.size
            raise ValueError(
                f"batch = {batch} deals cannot be shared out evenly among {self.size} processes; "
                f"the nearest that can is {fit}"
            )
        return batch // self.size

    def placed(self, device: str) -> str:
        """Return the name of this process's device; each process of a machine has its own GPU."""
        return f"cuda:{self.local_rank}" if device == "cuda" and self.size > 1 else device

    def adder(self, device: torch.device) -> Callable[[Iterable[Tensor]], None]:
        """Return a function that replaces tensors by their sums over all processes, in place.

        Each adder has its own connections. So two threads with an adder each may add at the same
        time, and the order of the threads may differ from process to process.
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
        """Turn an error of torch's communication into a ``LostError``."""
        try:
            yield
        except RuntimeError as error:
            raise LostError(
                f"process {self.rank} of {self.size} lost another, which ended or cannot be "
                f"reached ({_reason(error)})"
            ) from error


ALONE = Group()
"""A group of one process."""


@contextmanager
def joined() -> Iterator[Group]:
    """Yield the group of this process that ``torchrun`` started, or a group of one.

    Raises:
        LostError: the other processes cannot be reached. Later it is raised at any point of the
            body if the process gets SIGTERM.
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
        # torchrun will send SIGTERM to this process too. Ignore it, to report the error first.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise
    finally:
        distributed.destroy_process_group()


def _connections(backend: str) -> Connections:
    """Return new connections between all processes, as a weak reference.

    Connections have threads. The interpreter may abort if these still run when it ends, so the
    connections must end when the processes part, even if a learner with a reference to them still
    exists. Only torch therefore has a strong reference. For the same reason torch's default group
    is not used: some modules of torch keep it for good.
    """
    return ReferenceType(distributed.new_group(backend=backend, timeout=_PATIENCE))


def _reason(error: RuntimeError) -> str:
    """Return the reason in an error of torch, without its source line and its advice."""
    return re.sub(r"\[/\S*\] |(\. |\n).*", "", str(error), flags=re.S)


def minibatches(counts: Sequence[int], rank: int, size: int) -> list[tuple[slice, float]]:
    """Return a process's part of every minibatch, with the weight of this part.

    A minibatch spans all processes. Each process cuts its decisions into the same number of parts,
    one for each minibatch. The mean over a minibatch is the sum over all processes of the weight
    times the mean over the part.

    Args:
        counts: Number of decisions of each process; none may be 0.
        rank: The process.
        size: Largest number of decisions in a minibatch, if all processes had as many decisions as
            the process with the most.

    Returns:
        For each minibatch the slice of the process's decisions, and the weight.
    """
    number = min(-(-len(counts) * max(counts) // size), max(counts))
    found = []
    for part in range(number):
        edges = [(n * part // number, n * (part + 1) // number) for n in counts]
        first, last = edges[rank]
        weight = (last - first) / sum(high - low for low, high in edges)
        # A process without a decision in this minibatch takes part with one at weight 0.
        found.append((slice(first, max(last, first + 1)), weight))
    return found
