import { z } from 'zod';
import type { Engine } from './engine.ts';
import { contextBinding, modelBinding } from './engine-internals.ts';
import type { LlamaContext, LlamaModel } from './engine-types.ts';
import { engineFailed, invalidArgument } from './status-errors.ts';
import type { Vocabulary } from './vocabulary.ts';

const size = z.int().min(1);

const embeddingRequest = z.looseObject({
  input: z.union([z.string(), z.array(z.int().min(0)).min(1)]),
  pooling_params: z
    .looseObject({
      dimensions: z
        .union([
          size,
          z
            .array(size)
            .length(1)
            .transform(([first]) => first as number),
        ])
        .nullish(),
    })
    .nullish(),
});

interface EmbedderOptions {
  readonly engine: Engine;
  readonly model: LlamaModel;
  readonly vocabulary: Vocabulary;
  readonly contextLength: number;
  readonly threads: number;
}

/** A vector of length one, and the number of tokens of its input. */
export interface Embedding {
  readonly vector: readonly number[];
  readonly tokens: number;
}

/** Computes embeddings, in a separate context that is created for the first one. */
export class Embedder {
  readonly #options: EmbedderOptions;
  #context: Promise<LlamaContext> | undefined;

  constructor(options: EmbedderOptions) {
    this.#options = options;
  }

  /** The embedding of an embedding_request text. */
  async embed(request: string): Promise<Embedding> {
    const { input, pooling_params: pooling } = parse(request);
    const { vocabulary, contextLength, model } = this.#options;
    const dimensions = pooling?.dimensions ?? undefined;
    const most = modelBinding(model).getEmbeddingVectorSize();
    if (dimensions !== undefined && dimensions > most)
      throw invalidArgument(`embedding_request: dimensions must be at most ${most}, not ${dimensions}.`);
    const ids = typeof input === 'string' ? await vocabulary.encode(input, { addSpecialTokens: true }) : input;
    const unknown = ids.find((id) => id >= vocabulary.size);
    if (unknown !== undefined) throw invalidArgument(`Token id ${unknown} is out of vocabulary`);
    if (ids.length === 0) throw invalidArgument('The decoder prompt cannot be empty');
    if (ids.length > contextLength)
      throw invalidArgument(
        `The decoder prompt (length ${ids.length}) is longer than the maximum model length of ${contextLength}.`,
      );
    return { vector: unit(await this.#evaluate(ids), dimensions), tokens: ids.length };
  }

  async dispose(): Promise<void> {
    await (await this.#context?.catch(() => undefined))?.dispose();
  }

  async #evaluate(ids: readonly number[]): Promise<Float64Array> {
    const { engine, model, contextLength, threads } = this.#options;
    this.#context ??= model.createContext({
      sequences: 1,
      contextSize: contextLength,
      batchSize: contextLength,
      threads,
      ignoreMemorySafetyChecks: engine.llama.gpu === false,
      failedCreationRemedy: false,
      _embeddings: true,
    });
    let vector = new Float64Array(0);
    try {
      const context = contextBinding(await this.#context);
      await engine.exclusively(async () => {
        context.disposeSequence(0);
        context.initBatch(ids.length);
        // Pooling uses every token, so every one is an output.
        context.addToBatch(0, 0, Uint32Array.from(ids), Uint32Array.from(ids.keys()));
        await context.decodeBatch();
        vector = Float64Array.from(context.getEmbedding(ids.length));
      });
    } catch (error) {
      throw engineFailed(error);
    }
    return vector;
  }
}

function parse(text: string): z.infer<typeof embeddingRequest> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidArgument('embedding_request must be valid JSON.');
  }
  const result = embeddingRequest.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const reason = issue?.path[0] === 'input' ? 'must be a string or an array of token ids' : issue?.message;
  throw invalidArgument(`embedding_request.${issue?.path.join('.')}: ${reason}.`);
}

/** The first values, one per dimension, scaled to length one. */
function unit(vector: Float64Array, dimensions: number | undefined): number[] {
  const values = Array.from(vector.subarray(0, dimensions));
  const length = Math.hypot(...values);
  return length > 0 ? values.map((figure) => figure / length) : values;
}
