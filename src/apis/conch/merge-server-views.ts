import type { ServerView } from './servers.ts';

/** From best to worst. */
const states = ['ready', 'slow-start', 'unknown', 'ejected', 'unreachable'];
/** The state of a model whose engine failed. The process that noticed it reports it first. */
const failed = 'FAILED';
const breakers = ['closed', 'half-open', 'open'] as const;

/** Merges the views of several processes: adds the counts and takes the worst state. */
export function mergeViews(views: readonly (readonly ServerView[])[]): ServerView[] {
  const merged = new Map<string, ServerView>();
  for (const view of views.flat()) {
    const before = merged.get(view.id);
    merged.set(view.id, before ? together(before, view) : view);
  }
  return [...merged.values()];
}

function together(one: ServerView, other: ServerView): ServerView {
  return {
    ...one,
    state: worst(states, one.state, other.state),
    ready: one.ready && other.ready,
    running: one.running + other.running,
    requests: one.requests + other.requests,
    failures: one.failures + other.failures,
    retried: one.retried + other.retried,
    failure_rate: Math.max(one.failure_rate, other.failure_rate),
    ejected_seconds: Math.max(one.ejected_seconds, other.ejected_seconds),
    weight: Math.min(one.weight, other.weight),
    first_response_ms: slower(one.first_response_ms, other.first_response_ms),
    last_error: (one.last_error?.at ?? 0) >= (other.last_error?.at ?? 0) ? one.last_error : other.last_error,
    models: one.models.map((model) => {
      const same = other.models.find(({ name }) => name === model.name);
      const state = same?.state === failed ? failed : model.state;
      return same ? { ...model, state, breaker: worst(breakers, model.breaker, same.breaker) } : model;
    }),
  };
}

function worst<Word extends string>(order: readonly Word[], one: Word, other: Word): Word {
  return order.indexOf(one) >= order.indexOf(other) ? one : other;
}

function slower(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}
