import { freemem } from 'node:os';
import { EngineError } from '../../../engine-error.ts';

/** Bytes that this process can still use: the free memory of the machine, or of its container. */
export function availableMemory(): number {
  const ofContainer = (process as { availableMemory?: () => number }).availableMemory?.() ?? Number.POSITIVE_INFINITY;
  return Math.min(freemem(), ofContainer);
}

interface MemoryNeeds {
  readonly file: string;
  readonly weights: number;
  readonly context: number;
  readonly available: number;
}

/** What llama.cpp needs in addition to weights and context, roughly. */
const workingMemory = 128 * 2 ** 20;

/** Rejects a model that does not fit into memory, before the machine swaps or kills the process. */
export function checkMemory({ file, weights, context, available }: MemoryNeeds): void {
  if (weights + context + workingMemory <= available) return;
  const advice =
    weights > available
      ? 'Use a smaller model or a smaller quantization of it.'
      : 'Lower its context_length or its sequences.';
  throw new EngineError(
    `${file} needs ${gibibytes(weights)} GiB for its weights and ${gibibytes(context)} GiB for its context; ` +
      `${gibibytes(available)} GiB are free. ${advice}`,
  );
}

function gibibytes(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(bytes < 2 ** 30 ? 2 : 1);
}
