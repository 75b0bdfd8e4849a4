import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { user } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';
import { freePorts } from '../support/ports.ts';
import { type CollectedSpan, type Collector, grpcCollector, httpCollector } from './collector.ts';
import { type RecordingTriton, startRecordingTriton } from './recording-triton.ts';

const chat = '/v1/chat/completions';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${parentId}-01`;

interface TracedOptions {
  readonly collector: string;
  readonly port: number;
  readonly environment?: Readonly<Record<string, string>>;
}

function startTraced({ collector, port, environment = {} }: TracedOptions): Promise<Conch> {
  return startConch({
    flags: ['--triton', `127.0.0.1:${port}`, '--tokenizer', tokenizerFolder('qwen3'), '-o', collector],
    environment: { OTEL_BSP_SCHEDULE_DELAY: '20', ...environment },
  });
}

/** The spans of a trace as a tree of names. */
function treeOf(spans: readonly CollectedSpan[], parent: string): unknown[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ name, spanId }) => {
      const children = treeOf(spans, spanId);
      return children.length > 0 ? [name, children] : name;
    });
}

function named(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const span = spans.find((each) => each.name === name);
  if (!span) throw new Error(`No span ${name} among ${spans.map((each) => each.name).join(', ')}`);
  return span;
}

describe('a request that a client traces', () => {
  let triton: RecordingTriton;
  let collector: Collector;
  let conch: Conch;
  beforeAll(async () => {
    triton = await startRecordingTriton();
    collector = await httpCollector();
    conch = await startTraced({
      collector: collector.url,
      port: triton.grpcPort,
      environment: {
        OTEL_SERVICE_NAME: 'gateway',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test%20lab',
        OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=blue',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      },
    });
  });
  afterAll(async () => {
    await conch.stop();
    await collector.close();
    await triton.close();
  });

  it('is one tree of spans from the client to Triton', async () => {
    const body = { model: 'vllm-toy', messages: user(directive({ tokens: 5 })), max_tokens: 9, temperature: 0.5 };
    const { text, headers } = await post(
      `${conch.url}${chat}`,
      { ...body, stream: true },
      {
        traceparent,
        tracestate: 'vendor=opaque',
      },
    );
    const [, id] = /"id":"([^"]+)"/.exec(text) ?? [];
    const spans = await collector.trace(traceId, 4);
    expect(treeOf(spans, parentId)).toEqual([[`POST ${chat}`, [['chat vllm-toy', ['infer', 'template']]]]]);
    const { host } = new URL(conch.url);
    expect(named(spans, `POST ${chat}`)).toMatchObject({
      kind: 2,
      status: 0,
      traceState: 'vendor=opaque',
      attributes: {
        'http.request.method': 'POST',
        'http.route': chat,
        'url.path': chat,
        'url.scheme': 'http',
        'http.response.status_code': 200,
        'server.address': '127.0.0.1',
        'server.port': Number(host.split(':')[1]),
      },
      resource: {
        'service.name': 'gateway',
        'deployment.environment.name': 'test lab',
        'service.version': expect.any(String),
      },
    });
    expect(named(spans, 'chat vllm-toy')).toMatchObject({
      kind: 1,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'triton',
        'gen_ai.request.model': 'vllm-toy',
        'gen_ai.request.max_tokens': 9,
        'gen_ai.request.temperature': 0.5,
        'gen_ai.request.stream': true,
        'gen_ai.response.id': id,
        'gen_ai.response.model': 'vllm-toy',
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.usage.output_tokens': expect.any(Number),
      },
    });
    const inference = named(spans, 'infer');
    expect(inference).toMatchObject({
      kind: 3,
      status: 0,
      events: ['first_token'],
      attributes: {
        'server.address': '127.0.0.1',
        'server.port': triton.grpcPort,
        'gen_ai.request.model': 'vllm-toy',
        'conch.outcome': 'ok',
      },
    });
    expect(triton.metadata.at(-1)).toMatchObject({
      traceparent: `00-${traceId}-${inference.spanId}-01`,
      tracestate: 'vendor=opaque',
    });
    expect(collector.headers().at(-1)).toMatchObject({ 'x-tenant': 'blue', 'content-encoding': 'gzip' });
    // A busy machine reads all tokens at once: the inference has then ended before the headers are sent.
    expect(headers.get('server-timing')).toMatch(
      /^template;dur=[\d.]+, first;dur=[\d.]+(, infer;dur=[\d.]+)?, total;dur=[\d.]+$/,
    );
    const line = await conch.logged(({ trace_id: logged }) => logged === traceId);
    expect(line).toMatchObject({
      reqId: headers.get('x-request-id'),
      server: `127.0.0.1:${triton.grpcPort}`,
      ttft_ms: expect.any(Number),
    });
    expect(collector.received()).not.toContain('tokens":5');
  });

  it('tells of its fault, never of its words', async () => {
    const other = traceId.replace('4bf', '4bd');
    const messages = user(directive({ error_at: 0, error_text: 'a secret of the backend' }));
    await post(`${conch.url}${chat}`, { model: 'vllm-toy', messages }, { traceparent: `00-${other}-${parentId}-01` });
    const spans = await collector.trace(other, 4);
    expect(named(spans, `POST ${chat}`)).toMatchObject({
      status: 2,
      attributes: { 'error.type': 'backend_error', 'http.response.status_code': 502 },
    });
    expect(named(spans, 'infer')).toMatchObject({ status: 2, attributes: { 'error.type': expect.any(String) } });
    expect(collector.received()).not.toContain('a secret of the backend');
  });

  it('is not traced where the client says so, and its context goes on all the same', async () => {
    const before = collector.spans().length;
    const unsampled = traceId.replace('4bf', '4be');
    const messages = user(directive({ tokens: 2 }));
    await post(
      `${conch.url}${chat}`,
      { model: 'vllm-toy', messages },
      { traceparent: `00-${unsampled}-${parentId}-00` },
    );
    expect(triton.metadata.at(-1)?.['traceparent']).toMatch(new RegExp(`^00-${unsampled}-[\\da-f]{16}-00$`));
    const next = traceId.replace('4bf', '4bc');
    await post(`${conch.url}${chat}`, { model: 'vllm-toy', messages }, { traceparent: `00-${next}-${parentId}-01` });
    await collector.trace(next, 4);
    expect(
      collector
        .spans()
        .slice(before)
        .every((span) => span.traceId === next),
    ).toBe(true);
  });
});

describe('spans over gRPC', () => {
  it('arrive, and the rest when the process ends', async () => {
    const collector = await grpcCollector();
    const conch = await startTraced({
      collector: collector.url,
      port: inject('triton').grpcPort,
      environment: {
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
        OTEL_BSP_SCHEDULE_DELAY: '3600000',
        OTEL_EXPORTER_OTLP_HEADERS: 'X-Tenant=blue',
      },
    });
    const body = { model: 'vllm-2410', messages: user(directive({ tokens: 3 })) };
    await post(`${conch.url}${chat}`, body, { traceparent });
    expect(await conch.stop()).toBe(0);
    const spans = await collector.trace(traceId, 5);
    const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
    expect(collector.headers()[0]).toMatchObject({ ':path': path, 'x-tenant': 'blue' });
    expect(treeOf(spans, parentId)).toEqual([
      [`POST ${chat}`, [['chat vllm-2410', ['infer', 'template', 'tokenize']]]],
    ]);
    await collector.close();
  });
});

describe('a collector', () => {
  it('that is busy gets the spans a second time', async () => {
    const collector = await httpCollector([503]);
    const conch = await startTraced({
      collector: collector.url,
      port: inject('triton').grpcPort,
      environment: { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_TRACES_SAMPLER: 'parentbased_always_off' },
    });
    await post(`${conch.url}${chat}`, { model: 'vllm-toy', messages: user(directive({ tokens: 3 })) }, { traceparent });
    expect((await collector.trace(traceId, 4)).length).toBe(4);
    await conch.stop();
    await collector.close();
  });

  it('that is down costs no request, and one line of the log', async () => {
    const [port] = await freePorts(1);
    const conch = await startTraced({ collector: `http://127.0.0.1:${port}`, port: inject('triton').grpcPort });
    const body = { model: 'vllm-toy', messages: user(directive({ tokens: 3 })) };
    const responses = await Promise.all(Array.from({ length: 20 }, () => post(`${conch.url}${chat}`, body)));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await conch.stop()).toBe(0);
    const reported = conch.log().filter(({ message }) => String(message).includes('did not accept'));
    expect(reported.length).toBe(1);
  });
});

describe('without a collector', () => {
  it("passes the client's own context on", async () => {
    const triton = await startRecordingTriton();
    const conch = await startConch({
      flags: ['--triton', `127.0.0.1:${triton.grpcPort}`, '--tokenizer', tokenizerFolder('qwen3')],
    });
    const body = { model: 'vllm-toy', messages: user(directive({ tokens: 3 })) };
    await post(`${conch.url}${chat}`, body, { traceparent, tracestate: 'vendor=opaque' });
    expect(triton.metadata.at(-1)).toMatchObject({ traceparent, tracestate: 'vendor=opaque' });
    await conch.stop();
    await triton.close();
  });
});
