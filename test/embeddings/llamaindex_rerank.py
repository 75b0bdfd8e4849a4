"""Ranks documents with LlamaIndex's clients of Jina's and of Cohere's rerank API, and prints what they gave as JSON.

Arguments: the address of the server, the model and the query; standard input: the documents, a JSON list of texts.
"""

import json
import sys

from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.postprocessor.cohere_rerank import CohereRerank
from llama_index.postprocessor.jinaai_rerank import JinaRerank

url, model, query = sys.argv[1:]
documents = json.load(sys.stdin)


def ranked(reranker):
    nodes = [NodeWithScore(node=TextNode(text=text), score=0.0) for text in documents]
    return [[found.node.text, found.score] for found in reranker.postprocess_nodes(nodes, query_str=query)]


json.dump(
    {
        "jina": ranked(JinaRerank(model=model, base_url=f"{url}/v1", api_key="none", top_n=2)),
        "cohere": ranked(CohereRerank(model=model, base_url=url, api_key="none", top_n=1)),
    },
    sys.stdout,
)
