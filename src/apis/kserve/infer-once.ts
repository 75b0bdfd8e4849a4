import { firstResponse } from '../../kserve/awaited-responses.ts';
import type { CallOptions, InferenceServer, InferRequest, InferResponse } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';

/**
 * One request, one response. Triton's texts about wrong shapes end with a space, and Node drops a header that does: such a
 * refusal arrives without its words. A stream carries them inside its messages, so that one is asked for them.
 */
export async function inferOnce(
  server: InferenceServer,
  request: InferRequest,
  options: CallOptions,
): Promise<InferResponse> {
  try {
    return await server.infer(request, options);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 'INVALID_ARGUMENT' || error.message !== '') throw error;
    throw new StatusError(error.code, await wordsOfRefusal(server, request, options));
  }
}

async function wordsOfRefusal(server: InferenceServer, request: InferRequest, options: CallOptions): Promise<string> {
  try {
    await firstResponse((sink) => server.stream(request, sink, options));
  } catch (error) {
    if (error instanceof StatusError) return error.message;
  }
  return '';
}
