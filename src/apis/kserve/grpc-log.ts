import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { KeyHolder } from '../../keys/key-holder.ts';
import { isControlMethod } from '../../kserve/control-codec.ts';
import { countingRecorder, type RequestRecord } from '../../request-watch.ts';
import type { GrpcCall } from './grpc-call.ts';
import { servicePath } from './grpc-unary.ts';
import { httpStatus } from './http-response.ts';
import type { KserveOptions } from './options.ts';

/** Starts the record of a call. Its trace context goes to the upstream server. */
export function beginCall(headers: IncomingHttpHeaders, { record = countingRecorder }: KserveOptions): RequestRecord {
  const path = String(headers[':path']);
  const isSecure = headers[':scheme'] === 'https';
  const watch = record({ method: 'POST', path, route: isMethod(path) ? path : undefined, headers, isSecure });
  Object.assign(headers, watch.context);
  return watch;
}

interface CallFacts extends Pick<KserveOptions, 'logger'> {
  readonly watch: RequestRecord;
  /** Whose key it brought, once that is known. */
  readonly holder: () => KeyHolder | undefined;
}

/** Logs one line per call, like the HTTP frontend. */
export function logCall(stream: ServerHttp2Stream, call: GrpcCall, { watch, holder, logger }: CallFacts): void {
  const start = performance.now();
  stream.once('close', () => {
    const { outcome } = call;
    const hasDisconnected = outcome === undefined;
    const isGood = outcome?.code === 'OK';
    const status = isGood ? 200 : hasDisconnected ? 499 : httpStatus(outcome.code);
    const code = isGood ? undefined : hasDisconnected ? 'client_closed_request' : outcome.code.toLowerCase();
    const line = {
      reqId: call.id,
      method: 'gRPC',
      path: call.path,
      status,
      ms: Math.round((performance.now() - start) * 10) / 10,
      ...watch.end({ status, code, hasDisconnected, key: holder()?.name }),
      ...(code === undefined ? {} : { code }),
      ...(outcome?.message ? { reason: outcome.message } : {}),
    };
    if (status >= 500) logger.error(line, 'request failed');
    else if (status >= 400) logger.warn(line, hasDisconnected ? 'client disconnected' : 'request rejected');
    else logger.info(line, 'request');
  });
}

function isMethod(path: string): boolean {
  const method = path.startsWith(servicePath) ? path.slice(servicePath.length) : '';
  return (
    path === '/grpc.health.v1.Health/Check' ||
    method === 'ModelInfer' ||
    method === 'ModelStreamInfer' ||
    isControlMethod(method)
  );
}
