import { setTimeout as sleep } from 'node:timers/promises';
import { untilEnd } from '../kserve/awaited-responses.ts';
import type { InferenceServer, InferRequest } from '../kserve/server.ts';

/** Milliseconds that a stop command may take. */
const longestStop = 10_000;

/** Milliseconds after which a request that was still on its way has reached the engine. */
const arrival = 1_000;

/**
 * Tells a server to end an inference. The engine does not know an inference that is still in a queue or in
 * preprocessing, so the command is sent once more.
 */
export async function stopInference(
  server: InferenceServer,
  command: InferRequest,
  hasStarted: boolean,
): Promise<void> {
  await send(server, command);
  if (hasStarted) return;
  await sleep(arrival, undefined, { ref: false });
  await send(server, command);
}

/** The response does not matter: if the command fails, the server is unreachable or the inference is over. */
async function send(server: InferenceServer, command: InferRequest): Promise<void> {
  try {
    await untilEnd((sink) => server.stream(command, sink, { timeout: longestStop }));
  } catch {
    // See above.
  }
}
