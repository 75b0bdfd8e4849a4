import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../errors.ts';
import type { ModelGate } from '../models/model-gate.ts';
import type { RequestWatch } from '../request-watch.ts';
import { priorityOf } from './priority.ts';
import { requestSignal } from './request-signal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Releases the request's slot at its model. */
    leaveModel?: (() => void) | undefined;
    /** Milliseconds that it waited in the queue of its model. */
    queuedFor?: number;
  }
}

/** Waits in the queue of the request's model, loads it on demand, and holds a slot until the response is sent. */
export async function enterModel(request: FastifyRequest, reply: FastifyReply, gate: ModelGate): Promise<void> {
  const { raw } = reply;
  const cancel = (error: ApiError): void => request.cancel?.(error);
  request.leaveModel = await gate.enter(request.model ?? '', {
    cancel,
    signal: requestSignal(reply),
    priority: priorityOf(request),
    watch: request.watch,
    needsNoCapacity: request.endpoint?.usesTokenizerOnly ?? false,
    onAdmitted: (waited) => {
      request.queuedFor = waited;
    },
  });
  if (raw.destroyed) request.leaveModel?.();
  else raw.once('close', () => request.leaveModel?.());
}

/**
 * What the pipeline needs for one request: its client, its watch, and its remaining time after the queue.
 * @param needsCounts Whether its tokens must be counted exactly, which costs the vLLM backend a third of its peak.
 */
export function contextFor<Context extends { readonly timeout: number | undefined }>(
  request: FastifyRequest,
  context: Context,
  needsCounts = true,
) {
  return {
    ...context,
    watch: request.watch,
    timeout: timeLeft(request, context),
    client: clientOf(request),
    needsCounts,
  };
}

/** Whether the key of a request is charged for its tokens. */
export function isCharged({ key }: FastifyRequest): boolean {
  return key?.tokensPerMinute !== undefined;
}

function timeLeft({ queuedFor = 0 }: FastifyRequest, { timeout }: { readonly timeout: number | undefined }) {
  return timeout === undefined ? undefined : Math.max(1, timeout - queuedFor);
}

function clientOf(request: FastifyRequest): string {
  return request.key?.id ?? request.ip;
}

/** Takes over the slots of a request at its model and key, for work after the response. Returns their release. */
export function takeOver(
  request: FastifyRequest,
  { watch, cancel }: { readonly watch: RequestWatch; readonly cancel: (error: ApiError) => void },
): () => void {
  const { leaveModel, leaveKey } = request;
  request.leaveModel = undefined;
  request.leaveKey = undefined;
  request.cancel = cancel;
  return () => {
    leaveModel?.();
    leaveKey?.(watch);
  };
}
