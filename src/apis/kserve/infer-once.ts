import { firstResponse } from '../../kserve/awaited-responses.ts';
import type { CallOptions, InferenceServer, InferRequest, InferResponse } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';

/**
 * One request, one response. Triton's errors about wrong shapes end with a space, and Node drops a header like that, so
 * the error arrives without its message. A stream has the message in its body, so the request is repeated as a stream.
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
    throw new StatusError(error.code, await refusalMessage(server, request, options));
  }
}

async function refusalMessage(server: InferenceServer, request: InferRequest, options: CallOptions): Promise<string> {
  try {
    await firstResponse((sink) => server.stream(request, sink, options));
  } catch (error) {
    if (error instanceof StatusError) return error.message;
  }
  return '';
}
