import type { GenerationContract } from '../contracts/contract.ts';
import type { EmbeddingContract } from '../contracts/row-contracts.ts';
import { untilEnd } from '../kserve/awaited-responses.ts';
import { type FailedPart, failedPart } from '../kserve/engine-failure.ts';
import { StreamError } from '../kserve/infer-codec.ts';
import type { InferenceServer, InferRequest } from '../kserve/server.ts';
import type { FoundModel } from './discovery.ts';

/** The result of a probe. `unknown`: the engine sent no response. `unprobed`: there is no probe for the model. */
export type ProbeResult =
  | { readonly kind: 'alive' | 'unknown' | 'unprobed' }
  | { readonly kind: 'failed'; readonly part: FailedPart; readonly message: string };

/** Milliseconds that an engine has for a probe. A timeout means nothing: the engine may be busy. */
const longestProbe = 10_000;

/** The contracts of models that run an engine in a process of Triton's Python backend. */
const probedKinds: ReadonlySet<GenerationContract['kind']> = new Set(['vllm', 'llmapi', 'conch-tokens']);

/** The probe requests for a ready model's engine. The next one is sent if the model does not support the task. */
export function probesOf(server: InferenceServer, { ready }: FoundModel): readonly InferRequest[] {
  if (!ready || server.kind === 'embedded' || ready.config.backend === 'llamacpp') return [];
  const { detection, rows } = ready;
  const contract = 'contract' in detection ? detection.contract : undefined;
  if (!contract || !probedKinds.has(contract.kind)) return [];
  const { name: model, version } = ready.target ?? ready;
  const target = { id: 'conch-probe', model, version };
  return [
    tokenProbe(contract, target),
    ...(rows.embedding?.kind === 'vllm' ? [vectorProbe(rows.embedding, target)] : []),
  ];
}

type ProbeTarget = Pick<InferRequest, 'id' | 'model'> & { readonly version: string };

/** One token of the shortest prompt. An invalid request would be cheaper, but the server would log each one. */
function tokenProbe(contract: GenerationContract, target: ProbeTarget): InferRequest {
  return contract.encode({ ...target, prompt: 'a', sampling: { maxTokens: 1, temperature: 0 }, stream: false });
}

function vectorProbe(contract: EmbeddingContract, target: ProbeTarget): InferRequest {
  return contract.encode({ ...target, rows: [{ texts: ['a'] }] });
}

/** Sends probe requests to an engine directly, without the balancer and its counts. */
export async function probeEngine(
  server: InferenceServer,
  probes: readonly InferRequest[],
  signal: AbortSignal,
): Promise<ProbeResult> {
  for (const probe of probes) {
    const result = await send(server, probe, signal);
    if (result !== 'other-task') return result;
  }
  return { kind: 'unknown' };
}

async function send(
  server: InferenceServer,
  probe: InferRequest,
  signal: AbortSignal,
): Promise<ProbeResult | 'other-task'> {
  try {
    let count = 0;
    // Read to the end: if Conch resets the call after its last response, Triton never unloads the model.
    await untilEnd(
      (sink) => server.stream(probe, sink, { signal, timeout: longestProbe }),
      () => count++,
    );
    return { kind: count > 0 ? 'alive' : 'unknown' };
  } catch (error) {
    const part = failedPart(error);
    if (part) return { kind: 'failed', part, message: (error as Error).message };
    // An error of the model itself shows that its process runs; an error of Triton shows nothing.
    if (!(error instanceof StreamError) || !error.final) return { kind: 'unknown' };
    return /does not support '\w+' request/.test(error.message) ? 'other-task' : { kind: 'alive' };
  }
}
