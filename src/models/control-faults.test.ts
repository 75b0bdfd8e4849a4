import { describe, expect, it } from 'vitest';
import { ServerRestarting, StatusError } from '../kserve/status.ts';
import { failureText } from './control-faults.ts';

const asItIs = (text: string) => text;

describe('failureText', () => {
  it.each([
    [new ServerRestarting('tritonserver'), 'it cannot be reached, or went away meanwhile'],
    [new StatusError('UNAVAILABLE', 'gone', { unreachable: true }), 'it cannot be reached, or went away meanwhile'],
    [new StatusError('UNAVAILABLE', 'the model is being restarted.'), 'the model is being restarted'],
    [new StatusError('DEADLINE_EXCEEDED', 'late'), 'it was not done within the time limit'],
    [
      new StatusError(
        'INTERNAL',
        'load failed: version 1 is at UNAVAILABLE state: Internal: no memory;\nat backend.cc',
      ),
      'Internal: no memory',
    ],
    [new StatusError('INTERNAL', ''), "the server's log has the reason"],
    [new Error('secret'), 'the log has the reason'],
  ])('says of %s why a server did not load a model', (error, text) => {
    expect(failureText(error, asItIs)).toBe(text);
  });
});
