import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../errors.ts';
import type { ModelDoor } from '../models/model-door.ts';
import type { RequestWatch } from '../request-watch.ts';
import { priorityOf } from './priority.ts';
import { requestSignal } from './request-signal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Says that the request to its model is over. */
    leaveModel?: (() => void) | undefined;
    /** Milliseconds that it waited for a place at its model. */
    queuedFor?: number;
  }
}

/** Waits for a place at the model that a request names, and keeps it until the answer is sent; one that is not loaded may be first. */
export async function enterModel(request: FastifyRequest, reply: FastifyReply, door: ModelDoor): Promise<void> {
  const { raw } = reply;
  const cancel = (fault: ApiError): void => request.cancel?.(fault);
  request.leaveModel = await door.enter(request.model ?? '', {
    cancel,
    signal: requestSignal(reply),
    priority: priorityOf(request),
    watch: request.watch,
    needsNoPlace: request.endpoint?.usesTokenizerOnly ?? false,
    onAdmitted: (waited) => {
      request.queuedFor = waited;
    },
  });
  if (raw.destroyed) request.leaveModel?.();
  else raw.once('close', () => request.leaveModel?.());
}

/**
 * What the pipeline needs for one request: who sends it, who watches it, and what is left of its time after the queue.
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

/** Hands the request's places at its model and key to what goes on when it is answered; gives what says that it is over. */
export function takeOver(
  request: FastifyRequest,
  { watch, cancel }: { readonly watch: RequestWatch; readonly cancel: (fault: ApiError) => void },
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
