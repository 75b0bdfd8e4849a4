import {
  type Attributes,
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { InferenceFacts, Phase, RequestFacts } from '../../request-watch.ts';
import { contextHeaders, traceContextOf } from '../trace-context.ts';
import { requestAttributes, responseAttributes } from './genai.ts';
import type { InferenceTrace, RequestTrace, TracedOutcome, TracedRequest } from './trace.ts';

/** The spans of one request: the request itself, in it the model operation, in that its inferences and phases. */
export class SpanTrace implements RequestTrace {
  readonly traceId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #tracer: Tracer;
  readonly #facts: Pick<RequestFacts, 'method' | 'path'>;
  readonly #span: Span;
  /** False for work that continues after the response. */
  readonly #isOfServer: boolean;
  #work: Span | undefined;
  #model = '';

  private constructor(tracer: Tracer, facts: Pick<RequestFacts, 'method' | 'path'>, span: Span, isOfServer: boolean) {
    this.#tracer = tracer;
    this.#facts = facts;
    this.#span = span;
    this.#isOfServer = isOfServer;
    this.traceId = span.spanContext().traceId;
    this.headers = headersOf(span);
  }

  static begin(tracer: Tracer, facts: RequestFacts): SpanTrace {
    const { method, path, route, headers, isSecure = false } = facts;
    const [host, port] = hostOf(headers['host']);
    const attributes: Attributes = {
      'http.request.method': method,
      'url.path': path,
      'url.scheme': isSecure ? 'https' : 'http',
      ...(route === undefined ? {} : { 'http.route': route }),
      ...(host === undefined ? {} : { 'server.address': host }),
      ...(port === undefined ? {} : { 'server.port': port }),
      ...(typeof headers['user-agent'] === 'string' ? { 'user_agent.original': headers['user-agent'] } : {}),
    };
    const name = route === undefined ? method : `${method} ${route}`;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parentOf(facts));
    return new SpanTrace(tracer, facts, span, true);
  }

  asks(request: TracedRequest): void {
    const { operation } = request;
    this.#model = request.model;
    if (operation === undefined) return;
    const attributes = requestAttributes(operation, request);
    this.#work = this.#child(`${operation} ${request.model}`, SpanKind.INTERNAL, attributes);
  }

  phase(phase: Phase): () => void {
    const span = this.#child(phase, SpanKind.INTERNAL, {});
    return () => span.end();
  }

  inference({ server, model, maxTokens }: InferenceFacts): InferenceTrace {
    const [host = server, port] = hostOf(server);
    const span = this.#child('infer', SpanKind.CLIENT, {
      'rpc.system.name': 'grpc',
      'rpc.method': 'inference.GRPCInferenceService/ModelStreamInfer',
      'server.address': host,
      ...(port === undefined ? {} : { 'server.port': port }),
      'conch.server': server,
      'gen_ai.request.model': model,
      ...(maxTokens === undefined ? {} : { 'gen_ai.request.max_tokens': maxTokens }),
    });
    return {
      headers: headersOf(span),
      first: () => span.addEvent('first_token'),
      end: (outcome) => {
        span.setAttribute('conch.outcome', outcome);
        if (outcome !== 'ok' && outcome !== 'cancelled') fail(span, outcome);
        span.end();
      },
    };
  }

  goesOn(): RequestTrace {
    return new SpanTrace(this.#tracer, this.#facts, this.#child('background', SpanKind.INTERNAL, {}), false);
  }

  end(outcome: TracedOutcome): void {
    const { status, code, route, key } = outcome;
    const work = this.#work;
    if (work) {
      work.setAttributes(responseAttributes(outcome, this.#model));
      if (code !== undefined) fail(work, code);
      work.end();
    }
    if (this.#isOfServer) this.#span.setAttribute('http.response.status_code', status);
    if (route !== undefined && this.#isOfServer) {
      this.#span.setAttribute('http.route', route);
      this.#span.updateName(`${this.#facts.method} ${route}`);
    }
    if (key !== undefined) this.#span.setAttribute('conch.key.name', key);
    // An error of the client is no error of the server.
    if (code !== undefined) this.#span.setAttribute('error.type', code);
    if (status >= 500) this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
  }

  #child(name: string, kind: SpanKind, attributes: Attributes): Span {
    const parent = trace.setSpan(ROOT_CONTEXT, this.#work ?? this.#span);
    return this.#tracer.startSpan(name, { kind, attributes }, parent);
  }
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The OpenTelemetry context for the span of the client; without one, a new trace starts. */
function parentOf(facts: RequestFacts): Context {
  const clientContext = traceContextOf(facts);
  if (!clientContext) return ROOT_CONTEXT;
  const { traceId, spanId, flags, state } = clientContext;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: flags,
    isRemote: true,
    ...(state === undefined ? {} : { traceState: createTraceState(state) }),
  });
}

function headersOf(span: Span): Readonly<Record<string, string>> {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  return contextHeaders({ traceId, spanId, flags: traceFlags, state: traceState?.serialize() || undefined });
}

/** Splits `host:port` or `[v6]:port`; a name stays whole. */
function hostOf(text: unknown): [string | undefined, number | undefined] {
  if (typeof text !== 'string') return [undefined, undefined];
  const [, host, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  return [host?.replace(/^\[|\]$/g, ''), port === undefined ? undefined : Number(port)];
}
