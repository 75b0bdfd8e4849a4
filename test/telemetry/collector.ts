import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { frame } from '../../src/kserve/grpc-frames.ts';
import { respond, scriptedServer } from '../grpc/scripted-server.ts';

type Value = string | number | boolean | Value[];

/** A span as a collector sees it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly events: readonly string[];
  /** 0: unset, 2: an error. */
  readonly status: number;
  readonly resource: Readonly<Record<string, Value>>;
}

/** A collector of our own on loopback. */
export interface Collector {
  readonly url: string;
  readonly spans: () => readonly CollectedSpan[];
  /** The bodies of all requests, as text, to be searched. */
  readonly received: () => string;
  /** The headers of each request. */
  readonly headers: () => readonly Readonly<Record<string, unknown>>[];
  /** Resolves with all spans of a trace once that of the request itself, which ends last, is among them. */
  readonly trace: (traceId: string, count: number) => Promise<CollectedSpan[]>;
  readonly close: () => Promise<void>;
}

// The parts of OTLP's messages that are looked at, by their numbers in its specification.
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Export { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5;
    int32 kind = 6; repeated KeyValue attributes = 9; repeated Event events = 11; Status status = 15;
  }
  message Event { string name = 2; }
  message Status { int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; }
  }
  message ArrayValue { repeated AnyValue values = 1; }
`);
const exportType = root.lookupType('Export');

interface AnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly AnyValue[] };
}

type Pairs = readonly { readonly key: string; readonly value: AnyValue }[];

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Pairs };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes?: Pairs;
  readonly events?: readonly { readonly name: string }[];
  readonly status?: { readonly code?: number };
}

class Received {
  readonly spans: CollectedSpan[] = [];
  readonly headers: Readonly<Record<string, unknown>>[] = [];
  text = '';
  #watchers = new Set<() => void>();

  take(body: Buffer, isJson: boolean, headers: Readonly<Record<string, unknown>>): void {
    this.headers.push(headers);
    this.text += body.toString('latin1');
    const exported = (isJson ? JSON.parse(body.toString()) : fromProtobuf(body)) as Exported;
    for (const { resource, scopeSpans } of exported.resourceSpans)
      for (const { spans } of scopeSpans)
        for (const span of spans)
          this.spans.push({
            traceId: span.traceId,
            spanId: span.spanId,
            parentSpanId: span.parentSpanId ?? '',
            traceState: span.traceState ?? '',
            name: span.name,
            kind: span.kind,
            attributes: valuesOf(span.attributes ?? []),
            events: (span.events ?? []).map(({ name }) => name),
            status: span.status?.code ?? 0,
            resource: valuesOf(resource.attributes),
          });
    for (const watcher of this.#watchers) watcher();
  }

  trace(traceId: string, count: number): Promise<CollectedSpan[]> {
    return new Promise((resolve) => {
      const look = (): void => {
        const spans = this.spans.filter((span) => span.traceId === traceId);
        if (spans.length < count) return;
        this.#watchers.delete(look);
        resolve(spans);
      };
      this.#watchers.add(look);
      look();
    });
  }
}

function fromProtobuf(body: Buffer): unknown {
  const decoded = exportType.toObject(exportType.decode(body), { longs: Number, bytes: Buffer, arrays: true });
  return JSON.parse(
    JSON.stringify(decoded, (_key, value: unknown) => {
      const bytes = value as { readonly type?: string; readonly data?: number[] };
      return bytes?.type === 'Buffer' ? Buffer.from(bytes.data ?? []).toString('hex') : value;
    }),
  );
}

function valuesOf(pairs: Pairs): Record<string, Value> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf({ stringValue, boolValue, intValue, doubleValue, arrayValue }: AnyValue): Value {
  if (arrayValue) return arrayValue.values.map(valueOf);
  if (intValue !== undefined) return Number(intValue);
  return stringValue ?? boolValue ?? doubleValue ?? '';
}

/** A collector that takes OTLP over HTTP, as protobuf or as JSON. `statuses` are answered first, one by one. */
export async function httpCollector(statuses: number[] = []): Promise<Collector> {
  const received = new Received();
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const status = statuses.shift() ?? 200;
      if (status === 200 && request.url === '/v1/traces')
        received.take(body, request.headers['content-type'] === 'application/json', request.headers);
      response.writeHead(status).end();
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return collectorOf(received, `http://127.0.0.1:${port}`, close);
}

/** A collector that takes OTLP over gRPC. */
export async function grpcCollector(): Promise<Collector> {
  const received = new Received();
  const server = await scriptedServer((stream, _call, headers) => {
    void (async () => {
      const body = await bodyOf(stream);
      received.take(body.subarray(5), false, headers);
      respond(stream, { 'grpc-status': '0' });
      stream.end(frame(Buffer.alloc(0)));
    })();
  });
  return collectorOf(received, `http://127.0.0.1:${server.port}`, async () => server.close());
}

function collectorOf(received: Received, url: string, close: () => Promise<void>): Collector {
  return {
    url,
    spans: () => received.spans,
    received: () => received.text,
    headers: () => received.headers,
    trace: (traceId, count) => received.trace(traceId, count),
    close,
  };
}

async function bodyOf(stream: IncomingMessage | ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const isZipped = 'headers' in stream && stream.headers['content-encoding'] === 'gzip';
  return isZipped ? gunzipSync(body) : body;
}
