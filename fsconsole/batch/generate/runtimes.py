"""Runtimes that come to given node-hours for each user, and to a given total."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsconsole.batch.job_table import Floats, Ints

_FAR = 80.0
_HALVINGS = 45
_TILTS = 26
_MOST_TILT = 12.0


@dataclass(frozen=True, eq=False, slots=True)
class Boxes:
    """Jobs whose runtime is known within limits.

    Attributes:
        user, nodes: whose each job is and how large, int64 [jobs].
        least_s, most_s: between which its runtime lies, float64 [jobs].
        place: where between them it lies by chance, a logit of the logarithm's way from least to most,
            float64 [jobs].
        user_node_s: node-seconds that each user's jobs shall come to, float64 [users].
    """

    user: Ints
    nodes: Ints
    least_s: Floats
    most_s: Floats
    place: Floats
    user_node_s: Floats

    def user_sums(self, runtime_s: Floats) -> Floats:
        """Node-seconds of each user, float64 [users]."""
        sums: Floats = np.bincount(self.user, self.nodes * runtime_s, len(self.user_node_s)).astype(
            np.float64
        )
        return sums


def fitted(boxes: Boxes, tilt: float = 0.0) -> Floats:
    """Runtimes in seconds with which each user has the node-seconds wanted, or as near as the limits allow.

    All jobs of a user move in their boxes by the same step of the logit; `tilt` above 0 makes a user's
    small jobs longer and the large ones shorter beforehand.
    """
    place = boxes.place - tilt * _own_size(boxes)
    low, high = np.full(len(boxes.user_node_s), -_FAR), np.full(len(boxes.user_node_s), _FAR)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        over = boxes.user_sums(_at(boxes, place + middle[boxes.user])) > boxes.user_node_s
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return _at(boxes, place + ((low + high) / 2)[boxes.user])


def fitted_to(boxes: Boxes, total_s: float) -> Floats:
    """The same with a total of all runtimes, by the tilt; as near as tilting can come."""
    low, high = -_MOST_TILT, _MOST_TILT
    for _ in range(_TILTS):
        tilt = (low + high) / 2
        low, high = (low, tilt) if fitted(boxes, tilt).sum() > total_s else (tilt, high)
    return fitted(boxes, (low + high) / 2)


def _own_size(boxes: Boxes) -> Floats:
    """How much larger each job is than its owner's mean, by logarithms."""
    size = np.log2(boxes.nodes)
    count = np.maximum(np.bincount(boxes.user, minlength=len(boxes.user_node_s)), 1)
    mean = np.bincount(boxes.user, size, len(boxes.user_node_s)) / count
    own: Floats = size - mean[boxes.user]
    return own


def _at(boxes: Boxes, place: Floats) -> Floats:
    way = 1 / (1 + np.exp(-np.clip(place, -_FAR, _FAR)))
    runtime_s: Floats = boxes.least_s * (boxes.most_s / boxes.least_s) ** way
    return runtime_s
