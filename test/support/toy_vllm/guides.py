"""What vLLM makes of structured outputs: which it refuses, with which text, and which its engine dies of."""

import json
import re

_KILLING_CHOICE = re.compile(r"[\n\r\0]")
_KILLING_PATTERN = re.compile(r"\\[pP]\{|\(\?P<")
_LOOK_AROUND = re.compile(r"\(\?<?[=!]")
_REFERENCE = re.compile(r"\\[1-9]")
_BOUNDARY = re.compile(r"\\[bB]")
_EMPTY_CLASS = re.compile(r"(?<!\\)\[\^?\]")
_GUIDANCE_REASONS = (
    (_LOOK_AROUND, "look-around, including look-ahead and look-behind, is not supported"),
    (_REFERENCE, "backreferences are not supported"),
    (_BOUNDARY, "lookarounds not supported yet; WordUnicode"),
    (_EMPTY_CLASS, "unclosed character class"),
    (re.compile(r"\\k"), "unrecognized escape sequence"),
)
_XGRAMMAR_REASONS = (
    (_LOOK_AROUND, "Lookahead is not supported yet."),
    (_REFERENCE, "Backreference is not supported yet."),
    (_BOUNDARY, "Word boundary is not supported yet."),
    (_EMPTY_CLASS, "Empty character class is not allowed in regex."),
    (re.compile(r"\\[pP]\{"), "Unicode character class escape sequence is not supported yet."),
    (re.compile(r"\(\?P<"), "Group modifier flag is not supported yet."),
)
_FORMATS = frozenset("email date time date-time duration ipv4 ipv6 hostname uuid".split())
_REFUSED_BY_XGRAMMAR = (
    *("uniqueItems", "contains", "minContains", "maxContains", "multipleOf"),
    *("minProperties", "maxProperties", "propertyNames", "patternProperties"),
)
_UNIMPLEMENTED = ("uniqueItems", "contains", "minContains", "maxContains", "propertyNames")
_LITERAL = re.compile(r"(?:[A-Za-z0-9 _,:;=@!%'|]|[^\x00-\x7f]|\\u[0-9a-f]{4}|\\u\{[0-9a-f]+\})+")
_ESCAPE = re.compile(r"\\u(?:\{([0-9a-f]+)\}|([0-9a-f]{4}))")


def killer(structure, backend="auto"):
    """Whether the engine ends when it compiles this guide: "auto" checks with one library and compiles with another."""
    if backend != "auto":
        return False
    if "choice" in structure:
        return any(_KILLING_CHOICE.search(choice) for choice in structure["choice"])
    if "regex" in structure:
        return _KILLING_PATTERN.search(structure["regex"]) is not None
    return any(_KILLING_PATTERN.search(pattern) for pattern in _values(_schema(structure), "pattern"))


def refusal(structure, backend="auto"):
    """The text with which vLLM refuses a guide, or None where it takes it."""
    return _xgrammar_refusal(structure) if backend == "xgrammar" else _guidance_refusal(structure)


def _guidance_refusal(structure):
    """What llguidance says of a guide that xgrammar has refused before."""
    if "regex" in structure:
        reason = _reason(structure["regex"])
        return reason and f"Grammar error: at 1(8): invalid regex {json.dumps(structure['regex'])} (in regex): {reason}"
    if "grammar" in structure:
        missing = _missing_rules(structure["grammar"])
        text = "No 'root' rule found" if "root" in missing else f"Rule '{missing[0]}' not found" if missing else None
        return text and f"Failed to convert the grammar from GBNF to Lark: {text}"
    schema = _schema(structure)
    for pattern in _values(schema, "pattern"):
        reason = _reason(pattern)
        if reason:
            return f"Grammar error: {reason}"
    unimplemented = [key for key in _UNIMPLEMENTED if _schemas_with(schema, key)]
    if unimplemented:
        return f"Grammar error: Unimplemented keys: {json.dumps(unimplemented)}"
    unknown = [name for name in _values(schema, "format") if name not in _FORMATS]
    return f"Grammar error: Unknown format: {unknown[0]}" if unknown else None


def _xgrammar_refusal(structure):
    if any(_KILLING_CHOICE.search(choice) for choice in structure.get("choice", [])):
        return "Failed to transform choices into a grammar: {err}"
    if "regex" in structure:
        return _xgrammar_regex_refusal(structure["regex"], "regex")
    if _missing_rules(structure.get("grammar", "")):
        return "Invalid grammar specification."
    schema = _schema(structure)
    for pattern in _values(schema, "pattern"):
        text = _xgrammar_regex_refusal(pattern, "json schema")
        if text:
            return text
    formats = [name for name in _values(schema, "format") if name not in _FORMATS]
    if formats or any(_schemas_with(schema, key) for key in _REFUSED_BY_XGRAMMAR):
        return "The provided JSON schema contains features not supported by xgrammar."
    return None


def _xgrammar_regex_refusal(regex, what):
    for feature, reason in _XGRAMMAR_REASONS:
        match = feature.search(regex)
        if match:
            return (
                f"Failed to transform {what} into a grammar: [06:02:21] /project/cpp/regex_converter.cc:75: "
                f"Regex parsing error at position {match.end()}: {reason}\n"
            )
    return None


def choices_of(regex):
    """The texts that a regular expression of nothing but literal alternatives allows; None for any other one."""
    if not _LITERAL.fullmatch(regex):
        return None
    return [_ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)), part) for part in regex.split("|")]


def _reason(regex):
    for feature, reason in _GUIDANCE_REASONS:
        if feature.search(regex):
            return f"regex parse error:\n    {regex}\n    ^^^\nerror: {reason}\n   1 | start: /{regex}/\n              ^\n"
    return None


def _missing_rules(grammar):
    """The rules that a GBNF grammar lacks, the root first; those in Lark's notation are not looked at."""
    if "::=" not in grammar:
        return []
    rules = set(re.findall(r"^\s*([\w-]+)\s*::=", grammar, re.MULTILINE))
    names = set(re.findall(r"[A-Za-z_][\w-]*", re.sub(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|#.*', " ", grammar)))
    return [*({"root"} - rules), *sorted(names - rules - {"root"})]


def _schema(structure):
    schema = structure.get("json")
    return json.loads(schema) if isinstance(schema, str) else schema


def _values(schema, key):
    return [found[key] for found in _schemas_with(schema, key) if isinstance(found[key], str)]


def _schemas_with(schema, key):
    """Every object of a schema that has a keyword; names of properties are none."""
    if isinstance(schema, list):
        return [found for part in schema for found in _schemas_with(part, key)]
    if not isinstance(schema, dict):
        return []
    found = [schema] if key in schema else []
    for name, value in schema.items():
        if name in ("properties", "$defs", "definitions"):
            found += _schemas_with(list(value.values()), key)
        elif name not in ("const", "enum"):
            found += _schemas_with(value, key)
    return found
