"""Runs schemathesis against the OpenAPI document of a Conch: python schemathesis_checks.py URL SEED EXAMPLES ONE_IN."""

import os
import sys
import tempfile

import schemathesis

# What another path does too, with the same code behind it.
SECOND_NAMES = r"^(/v2/rerank|/rerank|/v1/(de)?tokenize|/v1/apply-template|/models.*|/health(_check)?|/v1/health/ready|/v1/responses/input_tokens)$"

if __name__ == "__main__":
    url, seed, examples, one_in = sys.argv[1:]
    os.environ["CONCH_COVERAGE_ONE_IN"] = one_in
    os.environ["SCHEMATHESIS_HOOKS"] = "schemathesis_checks"
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    checks = [
        "never_a_500",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
    ]
    # It keeps what it found beside where it runs.
    os.chdir(tempfile.mkdtemp())
    sys.argv = [
        "schemathesis",
        "run",
        f"{url}/openapi.json",
        f"--seed={seed}",
        f"--max-examples={examples}",
        f"--checks={','.join(checks)}",
        f"--exclude-path-regex={SECOND_NAMES}",
        "--phases=examples,coverage,fuzzing",
        "--suppress-health-check=all",
        "--generation-database=none",
        "--request-timeout=30",
        "--workers=1",
        "--warnings=off",
        "--no-color",
    ]
    from schemathesis.cli import schemathesis as main

    main()


@schemathesis.check
def never_a_500(ctx, response, case):
    """Faults of backends have statuses of their own; a 500 is a fault of ours."""
    assert response.status_code != 500, response.text


ONE_IN = int(os.environ.get("CONCH_COVERAGE_ONE_IN", "1"))
seen = {}


@schemathesis.hook
def filter_case(ctx, case):
    """Of the thousands of bodies with a limit met or crossed, only some: each operation's first, and then every so many."""
    if case.meta.phase.name.value != "coverage":
        return True
    before = seen.get(case.operation.label, 0)
    seen[case.operation.label] = before + 1
    return before % ONE_IN == 0


MOST_TOKENS = 4


@schemathesis.hook
def map_body(ctx, body):
    """Bodies reach a model that is there, and its answers are short."""
    if not isinstance(body, dict):
        return body
    path = ctx.operation.path
    if isinstance(body.get("model"), str):
        body["model"] = "minilm" if "embed" in path or "rerank" in path else "llama"
    body.pop("min_tokens", None)
    if path in ("/v1/chat/completions", "/v1/completions", "/v1/messages"):
        body["max_tokens"] = MOST_TOKENS
    if path in ("/api/chat", "/api/generate") and isinstance(body.get("options") or {}, dict):
        body["options"] = {**(body.get("options") or {}), "num_predict": MOST_TOKENS}
    if path == "/v1/responses":
        body["max_output_tokens"] = MOST_TOKENS
    return body
