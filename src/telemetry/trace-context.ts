import type { RequestFacts } from '../request-watch.ts';

/** A W3C trace context. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
  readonly state: string | undefined;
}

const longestState = 512;

/** The trace context of a client; undefined if it is missing or invalid. */
export function traceContextOf({ headers }: Pick<RequestFacts, 'headers'>): TraceContext | undefined {
  const parent = headers['traceparent'];
  const [, version, traceId, spanId, flags, more] =
    (typeof parent === 'string' &&
      /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(parent.trim())) ||
    [];
  if (traceId === undefined || spanId === undefined || version === 'ff') return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId) || (version === '00' && more !== undefined)) return undefined;
  const header = headers['tracestate'];
  const state = typeof header === 'string' ? header : header?.join(',');
  const isPlain = state !== undefined && state.length <= longestState && /^[\x20-\x7e]+$/.test(state);
  return { traceId, spanId, flags: Number.parseInt(flags ?? '0', 16) & 1, state: isPlain ? state : undefined };
}

/** The headers that propagate a context. */
export function contextHeaders({ traceId, spanId, flags, state }: TraceContext): Readonly<Record<string, string>> {
  const traceparent = `00-${traceId}-${spanId}-${flags === 0 ? '00' : '01'}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}
