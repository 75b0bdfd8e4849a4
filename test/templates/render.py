"""Renders templates with Python's own jinja2 and transformers, as the reference that Conch is compared with.

Reads a list of jobs as JSON on stdin and writes a list of {"text": …} or {"error": …} on stdout.
A job is {"snippet", "variables"} or {"family", "folder", "messages", …} in OpenAI's shape.
"""

import json
import os
import sys

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
from transformers import AutoTokenizer
from transformers.utils.chat_template_utils import _compile_jinja_template

# How each family's template wants its messages, known from reading it; Conch finds the same by itself.
STRING_ARGUMENTS = {"deepseek_v3"}
NULL_CONTENT = {"deepseek_v3"}
PARTS = {"gemma3"}

tokenizers = {}


def tokenizer_of(folder):
    if folder not in tokenizers:
        tokenizers[folder] = AutoTokenizer.from_pretrained(folder)
    return tokenizers[folder]


def prepared(message, family):
    message = dict(message)
    if message["role"] == "developer":
        message["role"] = "system"
    content = message.get("content")
    if isinstance(content, list) and family not in PARTS:
        message["content"] = "\n".join(part["text"] for part in content)
    if content is None:
        message["content"] = None if family in NULL_CONTENT else ""
    if "tool_calls" in message and family not in STRING_ARGUMENTS:
        message["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
            for call in message["tool_calls"]
        ]
    return message


def chat(job):
    return tokenizer_of(job["folder"]).apply_chat_template(
        [prepared(message, job["family"]) for message in job["messages"]],
        tools=job.get("tools"),
        add_generation_prompt=job.get("add_generation_prompt", False),
        continue_final_message=job.get("continue_final_message", False),
        tokenize=False,
        **job.get("variables", {}),
    )


def ids(job):
    tokenizer = tokenizer_of(job["folder"])
    found = tokenizer(job["text"], add_special_tokens=job["add_special_tokens"])["input_ids"]
    return {"ids": found, "tokens": tokenizer.convert_ids_to_tokens(found)} if job.get("tokens") else {"ids": found}


def answer(job):
    try:
        if "snippet" in job:
            return {"text": _compile_jinja_template(job["snippet"]).render(**job.get("variables", {}))}
        if "text" in job:
            return ids(job)
        return {"text": chat(job)}
    except Exception as error:
        return {"error": str(error)}


json.dump([answer(job) for job in json.load(sys.stdin)], sys.stdout)
