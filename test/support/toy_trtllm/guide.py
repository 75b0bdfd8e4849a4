"""What guided decoding allows: one text that fits the guide."""

import json
import re

from toy_vllm.language import constrained_answer

from .engine import failed_assertion

_NOT_SET_UP = (
    "Request is specified with GuidedDecodingParams, but GuidedDecoder is not setup. Please provide a valid "
    "GuidedDecodingConfig to setup GuidedDecoder."
)
_LITERALS = re.compile(r"[\w \-.,!]+")


def guided_text(kind, guide, seed, is_set_up):
    """A text that the guide allows. Raises with the engine's error where there is none."""
    if not is_set_up:
        raise failed_assertion(_NOT_SET_UP)
    if kind == "json":
        return '{"toy": true}'
    if kind == "json_schema":
        return constrained_answer({"json": _schema(guide)}, seed)
    if kind == "regex":
        return _regex(guide, seed)
    if kind == "ebnf_grammar":
        return _grammar(guide, seed)
    raise ValueError(f"guide type {kind} is not known")


def _failure(text):
    # The forward step fails with what xgrammar says. Seen in its sources, not on a running engine.
    return ValueError(f"Encountered an error in forwardAsync function: {text}")


def _schema(guide):
    try:
        schema = json.loads(guide)
    except ValueError:
        schema = None
    if not isinstance(schema, dict):
        raise _failure(f"json_schema_converter.cc:2868: Failed to parse JSON schema: {guide}")
    return schema


def _regex(guide, seed):
    try:
        re.compile(guide)
    except re.error as error:
        place = (error.pos or 0) + 1
        raise _failure(f"regex_converter.cc:112: Regex parsing error at position {place}: {error.msg}") from None
    inner = guide.removeprefix("^").removesuffix("$")
    while inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1].removeprefix("?:")
    choices = [re.sub(r"\\(\W)", r"\1", choice) for choice in inner.split("|")]
    return _choose(choices, guide, seed)


def _grammar(guide, seed):
    rule = re.fullmatch(r"\s*root\s*::=\s*(.+?)\s*", guide, re.DOTALL)
    if rule is None:
        raise _failure(
            'grammar_parser.cc:1043: EBNF parser error at line 1, column 1: The root rule with name "root" is not found'
        )
    return _choose(re.findall(r'"([^"]*)"', rule[1]), guide, seed)


def _choose(choices, guide, seed):
    if not choices or not all(_LITERALS.fullmatch(choice) for choice in choices):
        raise ValueError(f"The toy can follow alternatives of plain words only, not {guide}")
    return choices[seed % len(choices)]
