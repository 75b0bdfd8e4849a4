"""Google's own reader and writer of the text format, over the descriptors of tritonclient.

Reads one JSON object from standard input:
  {"generate": N, "seed": S}       -> [{"text", "bytes"}]: N random configurations, each in every way to print it
  {"check": [{"text", "bytes"}]}   -> ["equal" | "differs: ..." | "refused: ..."]
"""

import base64
import json
import random
import sys

from google.protobuf import text_format
from tritonclient.grpc.model_config_pb2 import ModelConfig

VARIANTS = [
    {},
    {"as_utf8": False},
    {"as_one_line": True},
    {"use_short_repeated_primitives": True},
    {"pointy_brackets": True, "force_colon": True},
    {"as_one_line": True, "pointy_brackets": True, "use_short_repeated_primitives": True, "use_index_order": True},
    {"indent": 6, "force_colon": True, "as_utf8": False},
]
TEXTS = ["", "a", "TYPE_INT8", 'quote " and \'', "back\\slash", "line\nbreak\r\ttab", "é 漢字 😀", "\0\x01\x7f", "${x}", "# no", "\u2028"]
RANGES = {"int32": (31, True), "int64": (63, True), "uint32": (32, False), "uint64": (64, False)}


def integer(dice, name):
    bits, signed = RANGES[name]
    value = dice.choice([0, 1, 7, 2**bits - 1, dice.randrange(2**bits)])
    return -value if signed and dice.random() < 0.3 else value


def scalar(dice, field):
    kind = field.cpp_type
    if kind == field.CPPTYPE_STRING:
        return dice.choice(TEXTS) + dice.choice(TEXTS)
    if kind == field.CPPTYPE_BOOL:
        return dice.random() < 0.5
    if kind == field.CPPTYPE_ENUM:
        return dice.choice([*field.enum_type.values_by_number, 97])
    if kind in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
        return dice.choice([0.0, -0.0, 0.1, 1e30, -1e-30, 5.0, float("inf"), float("-inf"), float("nan"), dice.gauss(0, 1e6)])
    names = {field.CPPTYPE_INT32: "int32", field.CPPTYPE_INT64: "int64"}
    names |= {field.CPPTYPE_UINT32: "uint32", field.CPPTYPE_UINT64: "uint64"}
    return integer(dice, names[kind])


def fill(dice, message, depth):
    for field in message.DESCRIPTOR.fields:
        if dice.random() > (0.5 if depth < 2 else 0.35):
            continue
        target = getattr(message, field.name)
        if field.message_type and field.message_type.GetOptions().map_entry:
            key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
            for _ in range(dice.randrange(3)):
                if value.message_type:
                    fill(dice, target[scalar(dice, key)], depth + 1)
                else:
                    target[scalar(dice, key)] = scalar(dice, value)
        elif field.is_repeated:
            for _ in range(dice.randrange(4)):
                if field.message_type:
                    fill(dice, target.add(), depth + 1)
                else:
                    target.append(scalar(dice, field))
        elif field.message_type:
            target.SetInParent()
            fill(dice, target, depth + 1)
        else:
            setattr(message, field.name, scalar(dice, field))


def encoded(message):
    return base64.b64encode(message.SerializeToString(deterministic=True)).decode()


def generate(count, seed):
    dice = random.Random(seed)
    for _ in range(count):
        message = ModelConfig()
        fill(dice, message, 0)
        for variant in VARIANTS:
            yield {"text": text_format.MessageToString(message, **variant), "bytes": encoded(message)}


def check(text, data):
    try:
        theirs = text_format.Parse(text, ModelConfig())
    except text_format.ParseError as error:
        return f"refused: {error}"
    ours = ModelConfig()
    ours.ParseFromString(base64.b64decode(data))
    if ours.SerializeToString(deterministic=True) == theirs.SerializeToString(deterministic=True):
        return "equal"
    return f"differs: {text_format.MessageToString(ours, as_one_line=True)} / {text_format.MessageToString(theirs, as_one_line=True)}"


task = json.load(sys.stdin)
if "generate" in task:
    json.dump(list(generate(task["generate"], task["seed"])), sys.stdout)
else:
    json.dump([check(item["text"], item["bytes"]) for item in task["check"]], sys.stdout)
