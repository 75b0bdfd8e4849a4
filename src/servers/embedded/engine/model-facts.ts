import type { GgufHeader } from '../gguf/header.ts';

/** The properties of a model that are needed before it is loaded. */
export interface ModelFacts {
  readonly architecture: string;
  readonly trainedContext: number;
  /** Bytes of one token in the memory of a sequence. */
  readonly bytesPerToken: number;
  /** Whether it only computes embeddings, and generates no text. */
  readonly onlyEmbeds: boolean;
  readonly isAdapter: boolean;
  readonly chatTemplate: string | undefined;
}

/** Kinds of models that llama.cpp runs without an output layer. */
const embeddingArchitectures = /bert|^t5encoder$|^gemma-embedding$/;

/** Reads the facts from a header. */
export function factsOf({ values, fileSize }: GgufHeader): ModelFacts {
  const architecture = String(values.get('general.architecture') ?? 'unknown');
  const number = (name: string): number | undefined => {
    const value = values.get(`${architecture}.${name}`);
    return typeof value === 'number' ? value : undefined;
  };
  const layers = number('block_count') ?? 0;
  const heads = number('attention.head_count') ?? 1;
  const width = (number('embedding_length') ?? 0) / heads;
  const headBytes = 2 * ((number('attention.key_length') ?? width) + (number('attention.value_length') ?? width));
  const perLayer = values.get(`${architecture}.attention.head_count_kv`) ?? heads;
  const keyHeads = Array.isArray(perLayer)
    ? perLayer.reduce((sum, count) => sum + count, 0)
    : layers * Number(perLayer);
  const template = values.get('tokenizer.chat_template');
  return {
    architecture,
    trainedContext: number('context_length') ?? 2048,
    bytesPerToken: keyHeads * headBytes || Math.ceil(fileSize / 2 ** 16),
    onlyEmbeds: embeddingArchitectures.test(architecture),
    isAdapter: values.get('general.type') === 'adapter',
    chatTemplate: typeof template === 'string' ? template : undefined,
  };
}
