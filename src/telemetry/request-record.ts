import type {
  EngineTimes,
  InferenceFacts,
  InferenceWatch,
  Phase,
  RequestFacts,
  RequestOutcome,
  RequestRecord,
  TokenCounts,
  TokenSum,
} from '../request-watch.ts';
import { InferenceRecord } from './inference-record.ts';
import type { Labels } from './metrics/labels.ts';
import type { Metrics } from './metrics/metrics.ts';
import { contextHeaders, traceContextOf } from './trace-context.ts';
import type { RequestTrace } from './tracing/trace.ts';

/** What all records have in common. */
export interface RecordOptions {
  readonly metrics: Metrics;
  readonly labels: Labels;
}

interface PhaseTime {
  readonly name: string;
  time: number;
}

/** Measures one request for the metrics, its trace, its log line and its charged tokens. */
export class MeasuredRequest implements RequestRecord {
  route: string | undefined;
  readonly context: Readonly<Record<string, string>>;
  readonly #options: RecordOptions;
  readonly #facts: RequestFacts;
  readonly #trace: RequestTrace | undefined;
  readonly #start = performance.now();
  readonly #counts: TokenCounts[] = [];
  /** Milliseconds per phase. */
  readonly #phases: PhaseTime[] = [];
  readonly #open: InferenceRecord[] = [];
  #inferences = 0;
  #limits = 0;
  #model = '';
  #isCounted = false;
  #server = '';
  #responseId: string | undefined;
  #firstFlush: number | undefined;
  #lastFlush = 0;
  #flushedTokens = 0;
  #between: ReturnType<Metrics['betweenTokens']['at']> | undefined;
  hasDisconnected = false;

  constructor(options: RecordOptions, facts: RequestFacts, trace: RequestTrace | undefined) {
    this.#options = options;
    this.#facts = facts;
    this.route = facts.route;
    this.#trace = trace;
    this.context = trace?.headers ?? passedOn(facts);
  }

  setRequest(model: string, request: Readonly<Record<string, unknown>> = {}): void {
    if (this.#isCounted) return;
    const { metrics, labels } = this.#options;
    this.#isCounted = true;
    this.#model = labels.model(model);
    metrics.running.at(this.#model).add();
    this.#trace?.asks({ operation: this.#facts.operation, model, request });
  }

  setResponseId(id: string): void {
    this.#responseId = id;
  }

  begin(phase: Phase): () => void {
    const start = performance.now();
    const { metrics } = this.#options;
    const endSpan = this.#trace?.phase(phase);
    const waiting = phase === 'queue' ? metrics.waiting.at(this.#model) : undefined;
    waiting?.add();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const time = performance.now() - start;
      waiting?.add(-1);
      metrics.phases.at(phase, this.#model).observe(time / 1000);
      this.#phase(phase).time += time;
      endSpan?.();
    };
  }

  inference(facts: InferenceFacts): InferenceWatch {
    const { metrics, labels } = this.#options;
    this.#server = labels.server(facts.server);
    this.#inferences++;
    this.#limits += facts.maxTokens ?? 0;
    const cells = {
      running: metrics.inferring.at(this.#model, this.#server),
      time: metrics.inferenceTime.at(this.#model, this.#server),
      ended: (outcome: string) => metrics.inferences.at(this.#model, this.#server, outcome).add(),
    };
    const inference = new InferenceRecord(cells, this.#trace?.inference(facts), {
      context: this.context,
      maxTokens: facts.maxTokens,
      hasDisconnected: () => this.hasDisconnected,
      onFirst: (time) => this.#time('first', time),
      onEnd: (time) => {
        this.#open.splice(this.#open.indexOf(inference), 1);
        this.#time('infer', time);
      },
    });
    this.#open.push(inference);
    return inference;
  }

  counts(counts: TokenCounts): void {
    this.#counts.push(counts);
  }

  flushed(now: number): void {
    const tokens = this.#completion();
    if (this.#firstFlush === undefined) {
      const { metrics } = this.#options;
      this.#firstFlush = now - this.#start;
      metrics.firstToken.at(this.#model, this.#server).observe(this.#firstFlush / 1000);
      this.#between = metrics.betweenTokens.at(this.#model, this.#server);
    } else if (tokens > this.#flushedTokens) {
      const flushed = tokens - this.#flushedTokens;
      this.#between?.observe((now - this.#lastFlush) / flushed / 1000, flushed);
    } else return;
    this.#lastFlush = now;
    this.#flushedTokens = tokens;
  }

  tokens(): TokenSum {
    return { prompt: sumOf(this.#counts, 'promptTokens') ?? 0, completion: this.#completion() };
  }

  timing(): string {
    let text = '';
    for (const { name, time } of this.#phases) text += `${name};dur=${time.toFixed(1)}, `;
    for (const [name, time] of engineEntries(this.#engineTimes())) text += `engine-${name};dur=${time.toFixed(1)}, `;
    return `${text}total;dur=${(performance.now() - this.#start).toFixed(1)}`;
  }

  continuation(): RequestRecord {
    return new MeasuredRequest(this.#options, { ...this.#facts, route: 'background' }, this.#trace?.goesOn());
  }

  end(outcome: RequestOutcome): Readonly<Record<string, string | number>> {
    const { metrics, labels } = this.#options;
    const seconds = (performance.now() - this.#start) / 1000;
    const model = this.#model;
    const route = this.route ?? 'unknown';
    const key = labels.key(outcome.key ?? '');
    this.hasDisconnected = outcome.hasDisconnected;
    if (this.#isCounted) metrics.running.at(model).add(-1);
    metrics.requests.at(route, model, String(outcome.status), outcome.code ?? '', key).add();
    metrics.duration.at(route, model).observe(seconds);
    const input = sumOf(this.#counts, 'promptTokens');
    const output = this.#counts.length > 0 ? this.#completion() : undefined;
    const cached = sumOf(this.#counts, 'cachedTokens');
    const reasoning = sumOf(this.#counts, 'reasoningTokens');
    if (input) metrics.inputTokens.at(model, this.#server, key).add(input);
    if (output) metrics.outputTokens.at(model, this.#server, key).add(output);
    if (cached) metrics.cachedTokens.at(model, this.#server, key).add(cached);
    if (reasoning) metrics.reasoningTokens.at(model, this.#server, key).add(reasoning);
    const drafts = sumOf(this.#counts, 'draftTokens');
    const accepted = sumOf(this.#counts, 'acceptedTokens');
    if (drafts) metrics.draftTokens.at(model, this.#server, key).add(drafts);
    if (accepted) metrics.acceptedTokens.at(model, this.#server, key).add(accepted);
    const engineTimes = this.#engineTimes();
    const cacheHitRate = this.#counts.findLast((counts) => counts.cacheHitRate !== undefined)?.cacheHitRate;
    for (const [phase, time] of engineEntries(engineTimes))
      metrics.engineTime.at(phase, model, this.#server).observe(time / 1000);
    if (cacheHitRate !== undefined) metrics.cacheHitRatio.at(model, this.#server).observe(cacheHitRate);
    const saved = outcome.hasDisconnected ? this.#saved() : 0;
    if (saved > 0) metrics.savedTokens.at(model).add(saved);
    this.#trace?.end({
      ...outcome,
      route: this.route,
      inputTokens: input,
      outputTokens: output,
      cachedTokens: cached,
      reasoningTokens: reasoning,
      draftTokens: drafts,
      acceptedTokens: accepted,
      engineTimes,
      cacheHitRate,
      responseId: this.#responseId,
      finishReasons: this.#counts.flatMap(({ finishReasons = [] }) => finishReasons),
    });
    const line: Record<string, string | number> = {};
    if (this.#server !== '') line['server'] = this.#server;
    if (outcome.key !== undefined) line['key'] = outcome.key;
    if (input !== undefined) line['input_tokens'] = input;
    if (output !== undefined && this.#inferences > 0) line['output_tokens'] = output;
    if (this.#firstFlush !== undefined) line['ttft_ms'] = Math.round(this.#firstFlush * 10) / 10;
    if (this.#trace) line['trace_id'] = this.#trace.traceId;
    return line;
  }

  /** A request with several generations reports the times of the last one that has any. */
  #engineTimes(): EngineTimes | undefined {
    return this.#counts.findLast(({ engineTimes }) => engineTimes !== undefined)?.engineTimes;
  }

  /** Tokens that the running inferences could still generate: their limits, minus their share of the generated tokens. */
  #saved(): number {
    let limits = 0;
    for (const { maxTokens } of this.#open) limits += maxTokens ?? 0;
    const generated = this.#limits > 0 ? (this.#completion() * limits) / this.#limits : 0;
    return Math.max(0, Math.round(limits - generated));
  }

  #time(name: string, time: number): void {
    const phase = this.#phase(name);
    phase.time = Math.max(phase.time, time);
  }

  /** There are few phases, so a linear search is enough. */
  #phase(name: string): PhaseTime {
    for (const phase of this.#phases) if (phase.name === name) return phase;
    const phase = { name, time: 0 };
    this.#phases.push(phase);
    return phase;
  }

  #completion(): number {
    const counts = this.#counts;
    if (counts.length === 1) return (counts[0] as TokenCounts).completionTokens;
    let sum = 0;
    for (const { completionTokens } of counts) sum += completionTokens;
    return sum;
  }
}

/** The context of the client, if tracing is off. */
function passedOn(facts: RequestFacts): Readonly<Record<string, string>> {
  const context = traceContextOf(facts);
  return context ? contextHeaders(context) : {};
}

/** The phases of a request in its engine, in their order. */
function engineEntries(times: EngineTimes | undefined): readonly (readonly [string, number])[] {
  if (!times) return [];
  return [
    ['queue', times.queue],
    ['prefill', times.prefill],
    ['decode', times.decode],
  ];
}

type TokenCount = 'promptTokens' | 'cachedTokens' | 'reasoningTokens' | 'draftTokens' | 'acceptedTokens';

/** The sum of the known values; undefined if there are none. */
function sumOf(counts: readonly TokenCounts[], name: TokenCount): number | undefined {
  let sum: number | undefined;
  for (const { [name]: count } of counts) if (count !== undefined) sum = (sum ?? 0) + count;
  return sum;
}
