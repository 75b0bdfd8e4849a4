import { ComputedMetric, Counter, Gauge, Histogram, type MetricJson } from './instruments.ts';

// All metrics of Conch. `npm run docs` writes their list in docs/observability.md.

const shares = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const longTimes = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const shortTimes = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const tokenTimes = [0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5];

/** Metrics that are updated while requests run. */
export class Metrics {
  readonly requests = new Counter({
    name: 'conch_requests_total',
    help: 'Requests that have ended, by route, model, HTTP status, error code and name of the API key.',
    labels: ['route', 'model', 'status', 'code', 'key'],
  });
  readonly duration = new Histogram({
    name: 'conch_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response.',
    labels: ['route', 'model'],
    bounds: longTimes,
  });
  readonly firstToken = new Histogram({
    name: 'conch_time_to_first_token_seconds',
    help: 'Time from the arrival of a request to the first write of its streamed response.',
    labels: ['model', 'server'],
    bounds: longTimes,
  });
  readonly betweenTokens = new Histogram({
    name: 'conch_time_between_tokens_seconds',
    help: 'Time between the tokens of a streamed response. Tokens of one write share the time since the write before.',
    labels: ['model', 'server'],
    bounds: tokenTimes,
  });
  readonly phases = new Histogram({
    name: 'conch_phase_duration_seconds',
    help: 'Time of one phase of a request: queue (waiting for the model), template or tokenize.',
    labels: ['phase', 'model'],
    bounds: [...shortTimes, 30, 60],
  });
  readonly inferenceTime = new Histogram({
    name: 'conch_inference_duration_seconds',
    help: 'Time that an inference took on a server.',
    labels: ['model', 'server'],
    bounds: longTimes,
  });
  readonly inferences = new Counter({
    name: 'conch_inferences_total',
    help: 'Inferences that have ended, by outcome: ok, cancelled, retried (on another server), or a gRPC code.',
    labels: ['model', 'server', 'outcome'],
  });
  readonly inputTokens = new Counter({
    name: 'conch_input_tokens_total',
    help: 'Tokens of prompts.',
    labels: ['model', 'server', 'key'],
  });
  readonly cachedTokens = new Counter({
    name: 'conch_cached_input_tokens_total',
    help: 'Tokens of prompts that a server had in its cache, where the server reports it.',
    labels: ['model', 'server', 'key'],
  });
  readonly outputTokens = new Counter({
    name: 'conch_output_tokens_total',
    help: 'Generated tokens.',
    labels: ['model', 'server', 'key'],
  });
  readonly reasoningTokens = new Counter({
    name: 'conch_reasoning_tokens_total',
    help: 'Generated tokens that are reasoning, where they are counted.',
    labels: ['model', 'server', 'key'],
  });
  readonly draftTokens = new Counter({
    name: 'conch_draft_tokens_total',
    help: 'Tokens that engines proposed by speculative decoding, where the server reports it.',
    labels: ['model', 'server', 'key'],
  });
  readonly acceptedTokens = new Counter({
    name: 'conch_accepted_draft_tokens_total',
    help: 'Draft tokens that engines accepted, where the server reports it.',
    labels: ['model', 'server', 'key'],
  });
  readonly engineTime = new Histogram({
    name: 'conch_engine_phase_duration_seconds',
    help: 'Time of a request in the engine, where the server reports it: queue, prefill (to the first token) or decode.',
    labels: ['phase', 'model', 'server'],
    bounds: longTimes,
  });
  readonly cacheHitRatio = new Histogram({
    name: 'conch_kv_cache_hit_ratio',
    help: "Share of a prompt's cache blocks that the engine had already, from 0 to 1, where the server reports it.",
    labels: ['model', 'server'],
    bounds: shares,
  });
  readonly savedTokens = new Counter({
    name: 'conch_saved_tokens_total',
    help: 'Upper bound of tokens saved by cancelling generations after the client disconnected.',
    labels: ['model'],
  });
  readonly running = new Gauge({
    name: 'conch_requests_running',
    help: 'Requests to a model that run or wait.',
    labels: ['model'],
  });
  readonly waiting = new Gauge({
    name: 'conch_requests_waiting',
    help: 'Requests that wait because their model is at its concurrency limit.',
    labels: ['model'],
  });
  readonly inferring = new Gauge({
    name: 'conch_inferences_running',
    help: 'Inferences that run on a server.',
    labels: ['model', 'server'],
  });
  readonly quarantinedGuides = new Counter({
    name: 'conch_guides_quarantined_total',
    help: 'Structured-output guides that are refused for a while because they preceded an engine failure.',
    labels: ['model'],
  });
  readonly suspendedClients = new Counter({
    name: 'conch_clients_suspended_total',
    help: 'Suspensions of clients whose structured-output guides preceded several engine failures.',
    labels: ['model'],
  });
  readonly spans = new Counter({
    name: 'conch_trace_spans_total',
    help: 'Trace spans by outcome: sent (the collector accepted them) or lost.',
    labels: ['outcome'],
  });

  json(): MetricJson[] {
    return Object.values(this).map((family: { json(): MetricJson }) => family.json());
  }
}

/** Metrics that are computed when they are read. */
export const readings = {
  serverAvailable: new ComputedMetric({
    name: 'conch_server_available',
    help: 'Whether a server gets requests: 1 while it is reachable and not ejected.',
    labels: ['server'],
    aggregator: 'min',
  }),
  serverWeight: new ComputedMetric({
    name: 'conch_server_weight',
    help: 'Share of requests that a server gets; below 1 during its slow start.',
    labels: ['server'],
    aggregator: 'min',
  }),
  engineDown: new ComputedMetric({
    name: 'conch_engine_down',
    help: 'Whether the engine of a model has failed on a server; 0 once it works again.',
    labels: ['server', 'model'],
  }),
  engineFailures: new ComputedMetric({
    name: 'conch_engine_failures_total',
    help: 'Failures of the engine of a model on a server.',
    labels: ['server', 'model'],
    type: 'counter',
  }),
  serverBreaker: new ComputedMetric({
    name: 'conch_server_breaker',
    help: "1 for the state of a model's circuit breaker.",
    labels: ['server', 'model', 'state'],
  }),
  tritonMetricsUp: new ComputedMetric({
    name: 'conch_triton_metrics_up',
    help: "Whether a Triton server's own metrics could be read.",
    labels: ['server'],
  }),
  tokenizerTokens: new ComputedMetric({
    name: 'conch_tokenizer_tokens_total',
    help: 'Tokens of texts that Conch tokenized, by source: tokenizer, or cache where an earlier text contained them.',
    labels: ['source'],
    type: 'counter',
  }),
  workers: new ComputedMetric({ name: 'conch_workers', help: 'Workers that take requests.', labels: [] }),
  workerAnswersMissing: new ComputedMetric({
    name: 'conch_worker_answers_missing_total',
    help: 'Messages between workers that got no reply in time.',
    labels: [],
    type: 'counter',
  }),
  buildInfo: new ComputedMetric({
    name: 'conch_build_info',
    help: 'Always 1; the version is in its label.',
    labels: ['version'],
  }),
};
