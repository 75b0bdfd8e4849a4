"""LlamaIndex: an answer at once, and one as it comes.

    pip install llama-index-llms-openai-like
    OPENAI_BASE_URL=http://localhost:9000/v1 OPENAI_API_KEY=none OPENAI_MODEL=llama3 python llamaindex.py
"""

import os

from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike

model = OpenAILike(
    api_base=os.environ.get("OPENAI_BASE_URL", "http://localhost:9000/v1"),
    api_key=os.environ.get("OPENAI_API_KEY", "none"),
    model=os.environ.get("OPENAI_MODEL", "smollm2-135m-instruct"),
    is_chat_model=True,
    context_window=2048,
    max_tokens=64,
    temperature=0,
)
messages = [ChatMessage(role="user", content="What is a conch?")]

print(model.chat(messages).message.content)

for piece in model.stream_chat(messages):
    print(piece.delta or "", end="", flush=True)
print()
