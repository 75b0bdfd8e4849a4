"""What vLLM makes of structured outputs: which it refuses, with which text, and which its engine dies of."""

import json
import re

_KILLING_CHOICE = re.compile(r"[\n\r\0]")
_KILLING_PATTERN = re.compile(r"\\[pP]\{|\(\?P<")
_NOT_REGULAR = re.compile(r"\(\?<?[=!]|\\[1-9bBk]|(?<!\\)\[\^?\]")
_UNIMPLEMENTED = (
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "not",
    "if",
)
_LITERAL = re.compile(r"(?:[A-Za-z0-9 _,:;=@!%'|]|[^\x00-\x7f]|\\u[0-9a-f]{4}|\\u\{[0-9a-f]+\})+")
_ESCAPE = re.compile(r"\\u(?:\{([0-9a-f]+)\}|([0-9a-f]{4}))")


def killer(structure):
    """Whether the engine process ends when it compiles this guide: one library has checked it, another compiles it."""
    if "choice" in structure:
        return any(_KILLING_CHOICE.search(choice) for choice in structure["choice"])
    if "regex" in structure:
        return _KILLING_PATTERN.search(structure["regex"]) is not None
    return any(_KILLING_PATTERN.search(pattern) for pattern in _values(_schema(structure), "pattern"))


def refusal(structure):
    """The text with which vLLM refuses a guide, or None where it takes it."""
    if "regex" in structure and not killer(structure):
        return _regex_refusal(structure["regex"])
    if "grammar" in structure:
        return _grammar_refusal(structure["grammar"])
    schema = _schema(structure)
    if schema is None:
        return None
    for pattern in _values(schema, "pattern"):
        text = _regex_refusal(pattern)
        if text is not None:
            return text
    unimplemented = [key for key in _UNIMPLEMENTED if any(True for _ in _schemas_with(schema, key))]
    if unimplemented:
        return f"Grammar error: Unimplemented keys: {json.dumps(unimplemented)}"
    if any(True for _ in _schemas_with(schema, "patternProperties")):
        return "The provided JSON schema contains features not supported by xgrammar."
    return None


def choices_of(regex):
    """The texts that a regular expression of nothing but literal alternatives allows; None for any other one."""
    if not _LITERAL.fullmatch(regex):
        return None
    return [_ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)), part) for part in regex.split("|")]


def _regex_refusal(regex):
    if not _NOT_REGULAR.search(regex):
        return None
    return (
        f"Grammar error: at 1(8): invalid regex {json.dumps(regex)} (in regex): regex parse error:\n    {regex}\n"
        "    ^^^\nerror: look-around, including look-ahead and look-behind, is not supported\n"
    )


def _grammar_refusal(grammar):
    if "::=" not in grammar:
        return None
    rules = set(re.findall(r"^\s*([\w-]+)\s*::=", grammar, re.MULTILINE))
    if "root" not in rules:
        return "Failed to transform grammar into a grammar: The root rule with name \"root\" is not found."
    names = set(re.findall(r"[A-Za-z_][\w-]*", re.sub(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|#.*', " ", grammar)))
    if names - rules:
        return f"Failed to convert the grammar from GBNF to Lark: Referenced rules not defined: {sorted(names - rules)}"
    return None


def _schema(structure):
    schema = structure.get("json")
    return json.loads(schema) if isinstance(schema, str) else schema


def _values(schema, key):
    return [found[key] for found in _schemas_with(schema, key) if isinstance(found[key], str)]


def _schemas_with(schema, key):
    """Every object of a schema that has a keyword; names of properties are none."""
    if isinstance(schema, list):
        for part in schema:
            yield from _schemas_with(part, key)
    if not isinstance(schema, dict):
        return
    if key in schema:
        yield schema
    for name, value in schema.items():
        inner = value.values() if name in ("properties", "$defs", "definitions") else [value]
        for part in inner:
            if name not in ("const", "enum"):
                yield from _schemas_with(part, key)
