"""LangChain for Python: a chain of prompt, model and parser, asked at once and as it comes.

    pip install langchain-openai
    OPENAI_BASE_URL=http://localhost:9000/v1 OPENAI_API_KEY=none OPENAI_MODEL=llama3 python langchain-python.py
"""

import os

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    base_url=os.environ.get("OPENAI_BASE_URL", "http://localhost:9000/v1"),
    api_key=os.environ.get("OPENAI_API_KEY", "none"),
    model=os.environ.get("OPENAI_MODEL", "smollm2-135m-instruct"),
    max_tokens=64,
    temperature=0,
)
chain = ChatPromptTemplate.from_messages([("user", "What is a {thing}?")]) | model | StrOutputParser()

print(chain.invoke({"thing": "conch"}))

for piece in chain.stream({"thing": "conch"}):
    print(piece, end="", flush=True)
print()
