import { Counter, Gauge, Histogram, type MetricJson } from './instruments.ts';

const longTimes = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const shortTimes = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const tokenTimes = [0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5];

/** Everything that is counted while requests run. docs/observability.md lists them all. */
export class Metrics {
  readonly requests = new Counter({
    name: 'conch_requests_total',
    help: 'Requests that have ended, by route, model, HTTP status, error code and name of the key.',
    labels: ['route', 'model', 'status', 'code', 'key'],
  });
  readonly duration = new Histogram({
    name: 'conch_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labels: ['route', 'model'],
    bounds: longTimes,
  });
  readonly firstToken = new Histogram({
    name: 'conch_time_to_first_token_seconds',
    help: 'Time from the arrival of a request to the first write of its streamed answer.',
    labels: ['model', 'server'],
    bounds: longTimes,
  });
  readonly betweenTokens = new Histogram({
    name: 'conch_time_between_tokens_seconds',
    help: 'Time between the tokens of a streamed answer; the tokens of one write share the time since the write before.',
    labels: ['model', 'server'],
    bounds: tokenTimes,
  });
  readonly phases = new Histogram({
    name: 'conch_phase_duration_seconds',
    help: 'Time of a part of the work for a request: queue, template or tokenize.',
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
    help: 'Inferences that have ended, by outcome: ok, cancelled, retried, or the code of the fault.',
    labels: ['model', 'server', 'outcome'],
  });
  readonly inputTokens = new Counter({
    name: 'conch_input_tokens_total',
    help: 'Tokens of prompts.',
    labels: ['model', 'server', 'key'],
  });
  readonly cachedTokens = new Counter({
    name: 'conch_cached_input_tokens_total',
    help: 'Those tokens of prompts that a server had in its cache, where it tells.',
    labels: ['model', 'server', 'key'],
  });
  readonly outputTokens = new Counter({
    name: 'conch_output_tokens_total',
    help: 'Tokens of answers.',
    labels: ['model', 'server', 'key'],
  });
  readonly reasoningTokens = new Counter({
    name: 'conch_reasoning_tokens_total',
    help: 'Those tokens of answers that are reasoning, where they are counted.',
    labels: ['model', 'server', 'key'],
  });
  readonly savedTokens = new Counter({
    name: 'conch_saved_tokens_total',
    help: 'Tokens that were not generated because the client had left: at most so many, by the limit of the request.',
    labels: ['model'],
  });
  readonly running = new Gauge({
    name: 'conch_requests_running',
    help: 'Requests to a model that are being answered or wait.',
    labels: ['model'],
  });
  readonly waiting = new Gauge({
    name: 'conch_requests_waiting',
    help: 'Requests that wait until there is room at their model.',
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
    help: 'Spans that were handed to the collector, by outcome: sent or lost.',
    labels: ['outcome'],
  });

  json(): MetricJson[] {
    return Object.values(this).map((family: Counter | Gauge | Histogram) => family.json());
  }
}
