import { describe, expect, it } from 'vitest';
import { contextHeaders, traceContextOf } from './trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('traceContextOf', () => {
  it('reads what a client sent, and hands it on as it was', () => {
    const headers = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'a=1,b=2' };
    expect(traceContextOf({ headers })).toEqual({ traceId, spanId, flags: 1, state: 'a=1,b=2' });
    expect(contextHeaders({ traceId, spanId, flags: 1, state: 'a=1,b=2' })).toEqual(headers);
  });

  it('reads a later version by what it has in common with this one', () => {
    expect(traceContextOf({ headers: { traceparent: `cc-${traceId}-${spanId}-03-more` } })).toEqual({
      traceId,
      spanId,
      flags: 1,
      state: undefined,
    });
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}`,
  ])('does not believe %j', (traceparent) => {
    expect(traceContextOf({ headers: { traceparent } })).toBeUndefined();
  });

  it('leaves out a state that is too long or not plain', () => {
    for (const tracestate of ['a'.repeat(513), 'a=\u00e9', ''])
      expect(
        traceContextOf({ headers: { traceparent: `00-${traceId}-${spanId}-00`, tracestate } })?.state,
      ).toBeUndefined();
  });
});
