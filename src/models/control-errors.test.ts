import { describe, expect, it } from 'vitest';
import { ServerRestarting, StatusError } from '../kserve/status.ts';
import { failureText } from './control-errors.ts';

const asItIs = (text: string) => text;

describe('failureText', () => {
  it.each([
    [new ServerRestarting('tritonserver'), 'unreachable, or the connection was lost'],
    [new StatusError('UNAVAILABLE', 'gone', { unreachable: true }), 'unreachable, or the connection was lost'],
    [new StatusError('UNAVAILABLE', 'the model is being restarted.'), 'the model is being restarted'],
    [new StatusError('DEADLINE_EXCEEDED', 'late'), 'timed out'],
    [
      new StatusError(
        'INTERNAL',
        'load failed: version 1 is at UNAVAILABLE state: Internal: no memory;\nat backend.cc',
      ),
      'Internal: no memory',
    ],
    [
      new StatusError(
        'INTERNAL',
        "version 1 is at UNAVAILABLE state: Internal: No module named 'vllm.inputs.data'\nAt:",
      ),
      "Triton's vLLM backend does not support the installed version of vLLM. Install vllm<0.19, " +
        'or create a model that supports it: conch repo init vllm --conch',
    ],
    [new StatusError('INTERNAL', ''), 'see the log of the server'],
    [new Error('secret'), 'unexpected error, see the log of Conch'],
  ])('says of %s why a server did not load a model', (error, text) => {
    expect(failureText(error, asItIs)).toBe(text);
  });
});
