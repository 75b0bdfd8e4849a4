import { ApiError } from '../errors.ts';
import type { ChatPlan } from './chat-plan.ts';
import type { GeneratedResponse } from './generated-response.ts';
import type { MaybePromise } from './maybe-promise.ts';
import { startedGeneration } from './started-generation.ts';

type Guided = Pick<ChatPlan, 'model' | 'structure' | 'use'>;

/**
 * Whether the backend may refuse the guide of a response that is calls or text: only the backend knows which schemas of
 * tools it supports.
 */
export function mayRefuseGuide({ model, structure, use }: Guided): boolean {
  return structure !== undefined && use?.mode === 'guided' && !model.contract.guide;
}

/** Runs a guided chat. If the backend refuses its guide, runs it without: a tool that the model may never call is no error. */
export async function unlessRefused(
  plan: Guided,
  guided: () => MaybePromise<GeneratedResponse>,
  unguided: () => MaybePromise<GeneratedResponse>,
): Promise<GeneratedResponse> {
  try {
    const response = await guided();
    return { ...response, generation: await startedGeneration(response.generation) };
  } catch (error) {
    if (!isRefusal(error, plan)) throw error;
    return unguided();
  }
}

function isRefusal(error: unknown, { structure }: Guided): boolean {
  const { status, param } = ApiError.from(error);
  if (status !== 400 || param === null) return false;
  return /^tools\b/.test(param) || (structure !== undefined && param.startsWith(structure.field));
}
