"""Instructor: an answer as an object of a class. The backend is guided by its schema, so that the first answer fits.

    pip install instructor
    OPENAI_BASE_URL=http://localhost:9000/v1 OPENAI_API_KEY=none OPENAI_MODEL=llama3 python instructor-python.py
"""

import os
from typing import Literal

import instructor
from openai import OpenAI
from pydantic import BaseModel


class Animal(BaseModel):
    name: str
    legs: int
    habitat: Literal["sea", "land"]


client = instructor.from_openai(
    OpenAI(
        base_url=os.environ.get("OPENAI_BASE_URL", "http://localhost:9000/v1"),
        api_key=os.environ.get("OPENAI_API_KEY", "none"),
    ),
    mode=instructor.Mode.JSON_SCHEMA,
)

animal = client.chat.completions.create(
    model=os.environ.get("OPENAI_MODEL", "smollm2-135m-instruct"),
    messages=[{"role": "user", "content": "Describe a crab."}],
    response_model=Animal,
    max_tokens=128,
    temperature=0,
)
print(animal.model_dump_json())
