#!/usr/bin/env bash
# curl: the models, an answer at once, and one as it comes.
#
#   OPENAI_BASE_URL=http://localhost:9000/v1 OPENAI_API_KEY=none OPENAI_MODEL=llama3 bash curl.sh
set -euo pipefail

url=${OPENAI_BASE_URL:-http://localhost:9000/v1}
key=${OPENAI_API_KEY:-none}
model=${OPENAI_MODEL:-smollm2-135m-instruct}

ask() {
  curl --fail-with-body --silent --show-error --no-buffer -H "authorization: Bearer $key" "$@"
}

chat() {
  ask "$url/chat/completions" -H 'content-type: application/json' --data-binary @- <<JSON
{
  "model": "$model",
  "messages": [{ "role": "user", "content": "What is a conch?" }],
  "max_tokens": 64,
  "temperature": 0,
  "stream": $1
}
JSON
}

ask "$url/models"
echo
chat false
echo
chat true
