/** What the answer of POST /v1/embeddings is written from. */
export interface EmbeddingAnswer {
  readonly model: string;
  readonly vectors: readonly Float32Array[];
  readonly encoding: 'float' | 'base64';
  /** Undefined where nobody counted. */
  readonly promptTokens: number | undefined;
}

/** The answer as JSON, vector by vector: all of them as one text would take many times the room. */
export function* embeddingPieces({ model, vectors, encoding, promptTokens }: EmbeddingAnswer): Generator<string> {
  yield '{"object":"list","data":[';
  for (const [index, vector] of vectors.entries()) {
    const embedding = encoding === 'base64' ? base64Of(vector) : Array.from(vector);
    yield `${index > 0 ? ',' : ''}${JSON.stringify({ object: 'embedding', index, embedding })}`;
  }
  const usage = promptTokens === undefined ? null : { prompt_tokens: promptTokens, total_tokens: promptTokens };
  yield `],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`;
}

/** 32-bit numbers, little-endian. */
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  vector.forEach((figure, at) => bytes.writeFloatLE(figure, at * 4));
  return bytes.toString('base64');
}
