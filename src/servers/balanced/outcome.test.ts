import { describe, expect, it } from 'vitest';
import { OversizedMessage } from '../../kserve/grpc-frames.ts';
import { StreamError } from '../../kserve/infer-codec.ts';
import { ResponseTimeoutError } from '../../kserve/response-timeout-error.ts';
import { type StatusCode, StatusError } from '../../kserve/status.ts';
import { blameFor } from './outcome.ts';

const head = { model: 'm', version: '1', id: '', parameters: {}, outputs: [] };
const said = (text: string, final = true) => new StreamError(text, { ...head, final });
const coded = (code: StatusCode, text = 'x') => new StatusError(code, text);

describe('blameFor', () => {
  it.each([
    ['a connection that broke', new StatusError('UNAVAILABLE', 'x', { unreachable: true }), undefined, 'server'],
    ['a first response that did not come', new ResponseTimeoutError('first', 1), undefined, 'server'],
    ['an answer that did not come in time', coded('DEADLINE_EXCEEDED'), undefined, 'server'],
    ['a server that shuts down', coded('UNAVAILABLE'), undefined, 'server'],
    ['a dead engine, by its contract', said('Error generating stream: EngineDeadError'), 503, 'server'],
    ['a text that nobody knows', said('Error generating stream: it went wrong'), undefined, 'unclear'],
    ['a failure of the backend, by its contract', said("'NoneType'"), 502, 'unclear'],
    ['a model that raised', coded('INTERNAL'), undefined, 'unclear'],
    ['a prompt that is too long', said('prompt (length 9) is longer'), 400, 'request'],
    ['a request that Triton refused', said('unexpected shape', false), undefined, 'request'],
    ['a wrong argument', coded('INVALID_ARGUMENT'), undefined, 'request'],
    ['an answer that is too large', new OversizedMessage(9, 8), undefined, 'request'],
    ['a client that left', coded('CANCELLED'), undefined, 'request'],
    ['what is not of a server', new Error('x'), undefined, 'request'],
    ['a full queue', said('Exceeds maximum queue size', false), undefined, 'elsewhere'],
    ['a full queue, by its contract', said('Maximum queue size of 4 has been reached'), 429, 'elsewhere'],
    ['a server that has enough', coded('RESOURCE_EXHAUSTED'), undefined, 'elsewhere'],
    ['a model that is gone', said("Request for unknown model: 'm' is not found", false), undefined, 'elsewhere'],
    ['a model that is being unloaded', coded('UNAVAILABLE', "'m' is not at ready state"), undefined, 'elsewhere'],
  ] as const)('%s', (_, error, status, blame) => {
    expect(blameFor(error, () => status)).toBe(blame);
  });
});
