"""Reads metrics from standard input with Prometheus's own parser, and prints every sample as JSON."""

import json
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_families
from prometheus_client.parser import text_string_to_metric_families as families

parse = open_families if sys.argv[1] == "openmetrics" else families
print(
    json.dumps(
        [
            {
                "name": family.name,
                "type": family.type,
                "help": family.documentation,
                "samples": [[sample.name, sample.labels, str(sample.value)] for sample in family.samples],
            }
            for family in parse(sys.stdin.read())
        ]
    )
)
