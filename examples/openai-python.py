"""OpenAI's package for Python: an answer at once, and one as it comes.

    pip install openai
    OPENAI_BASE_URL=http://localhost:9000/v1 OPENAI_API_KEY=none OPENAI_MODEL=llama3 python openai-python.py
"""

import os

from openai import OpenAI

client = OpenAI(
    base_url=os.environ.get("OPENAI_BASE_URL", "http://localhost:9000/v1"),
    api_key=os.environ.get("OPENAI_API_KEY", "none"),
)
request = {
    "model": os.environ.get("OPENAI_MODEL", "smollm2-135m-instruct"),
    "messages": [{"role": "user", "content": "What is a conch?"}],
    "max_tokens": 64,
    "temperature": 0,
}

answer = client.chat.completions.create(**request)
print(answer.choices[0].message.content)

for chunk in client.chat.completions.create(**request, stream=True):
    print(chunk.choices[0].delta.content or "", end="", flush=True)
print()
