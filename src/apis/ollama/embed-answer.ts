import type { AnswerClock } from './answer-clock.ts';

/** What the answer of POST /api/embed is written from. */
export interface EmbedAnswer {
  /** As the request named it. */
  readonly model: string;
  readonly vectors: readonly Float32Array[];
  /** Undefined where nobody counted. */
  readonly promptTokens: number | undefined;
  readonly clock: AnswerClock;
}

/** The answer as JSON, vector by vector: all of them as one text would take many times the room. */
export function* embedPieces({ model, vectors, promptTokens, clock }: EmbedAnswer): Generator<string> {
  const { total, load } = clock.durations();
  yield `{"model":${JSON.stringify(model)},"embeddings":[`;
  for (const [index, vector] of vectors.entries()) yield `${index > 0 ? ',' : ''}${JSON.stringify(Array.from(vector))}`;
  const counts = promptTokens === undefined ? '' : `,"prompt_eval_count":${promptTokens}`;
  yield `],"total_duration":${total},"load_duration":${load}${counts}}`;
}
