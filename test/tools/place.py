"""What both Python packages ask for as structured output."""

from enum import Enum
from typing import List

from pydantic import BaseModel


class Kind(str, Enum):
    sea = "sea"
    land = "land"


class Near(BaseModel):
    name: str
    metres: float


class Place(BaseModel):
    """A place on earth."""

    name: str
    kind: Kind
    near: List[Near]
