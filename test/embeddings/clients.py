"""Asks for vectors with OpenAI's package and with LangChain, and prints them as JSON.

Arguments: the base URL, the model, and the folder of its tokenizer. The texts come as JSON on standard input.
"""

import json
import os
import sys

import tiktoken
from langchain_openai import OpenAIEmbeddings
from openai import OpenAI
from tokenizers import Tokenizer

base_url, model, folder = sys.argv[1:]
texts = json.load(sys.stdin)
client = OpenAI(base_url=base_url, api_key="none", max_retries=0)
tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
tokenizer.no_truncation()
tokenizer.no_padding()


class OwnEncoding:
    """What stands in for tiktoken, whose vocabularies are OpenAI's: the tokens of the model itself."""

    def encode_ordinary(self, text):
        return tokenizer.encode(text).ids


tiktoken.encoding_for_model = lambda _: OwnEncoding()


def openai_vectors(**options):
    answer = client.embeddings.create(model=model, input=texts, **options)
    return [item.embedding for item in answer.data]


def langchain_vectors(**options):
    embeddings = OpenAIEmbeddings(base_url=base_url, api_key="none", model=model, max_retries=0, **options)
    return [*embeddings.embed_documents(texts[:-1]), embeddings.embed_query(texts[-1])]


json.dump(
    {
        "base64": openai_vectors(),
        "float": openai_vectors(encoding_format="float"),
        "langchain, texts": langchain_vectors(check_embedding_ctx_length=False),
        "langchain, token ids": langchain_vectors(),
    },
    sys.stdout,
)
