import type { GenerationContract } from './contract.ts';
import type { ModelContracts } from './row-contracts.ts';

/** What is known of a vLLM model in addition to its tensors, which are the same for every model of the backend. */
export interface VllmFacts {
  /** Tokens that prompt and response may have together. */
  readonly context?: number;
  readonly generatesText?: boolean;
  readonly makesEmbeddings?: boolean;
  /** The most images of one prompt; 0: it takes none. */
  readonly mostImages?: number;
}

/**
 * Error texts of the engine that contain facts about its model. Each is matched as a whole from its first word: a text may
 * quote the name of an adapter or a part of the request, which must not pass for the engine's own text.
 */
const tellingTexts: readonly (readonly [RegExp, (match: RegExpExecArray) => VllmFacts])[] = [
  [
    /^The decoder prompt \(length \d+\)(?: plus the number of requested output tokens \(at least 1\))? is longer than the maximum model length of ([1-9]\d{0,8})(?:\.\s|\.?$)/,
    ([, context]) => ({ context: Number(context) }),
  ],
  [
    /^input_ids has \d+ tokens, which is longer than the maximum model length of ([1-9]\d{0,8}) tokens\.$/,
    ([, context]) => ({ context: Number(context) }),
  ],
  [
    /^Model \S+ does not support '(generate|embed)' request\.?$/,
    ([, task]) =>
      task === 'generate'
        ? { generatesText: false, makesEmbeddings: true }
        : { makesEmbeddings: false, generatesText: true },
  ],
  [
    /^At most (\d{1,6}) image\(?s?\)? may be provided in one prompt\.?(?:\s|$)/,
    ([, most]) => ({ mostImages: Number(most) }),
  ],
  [/^(?!LoRA )[^\n:]{1,500} is not a multimodal model\.?$/, () => ({ mostImages: 0 })],
  [/^(?!LoRA )[^\n:]{1,500} does not support multimodal inputs\.?$/, () => ({ mostImages: 0 })],
];

/** What Triton, its vLLM backend and Conch's own model put before the engine's own text. */
const introduction = /^(?:\[request id: [\w.-]*\] )?(?:Error generating stream: |Invalid request: )?/;

/** The facts about its model in an error text of the vLLM backend; undefined where there are none. */
export function factsIn(message: string): VllmFacts | undefined {
  const text = message.replace(introduction, '').trim();
  for (const [pattern, facts] of tellingTexts) {
    const match = pattern.exec(text);
    if (match) return facts(match);
  }
  return undefined;
}

/** The contract of a model, by what is known of it. */
export function withFacts({ contract, rows }: ModelContracts, facts: VllmFacts): ModelContracts {
  const { context, mostImages, generatesText, makesEmbeddings } = facts;
  const { embedding, ...others } = rows;
  return {
    contract:
      contract && generatesText !== false
        ? {
            ...contract,
            limits: context === undefined ? contract.limits : { ...contract.limits, context },
            images: mostImages === undefined ? contract.images : imageSupport(contract.images, mostImages),
          }
        : undefined,
    rows:
      embedding && makesEmbeddings !== false
        ? { ...others, embedding: { ...embedding, longest: context ?? embedding.longest } }
        : others,
  };
}

function imageSupport(images: GenerationContract['images'], most: number): GenerationContract['images'] {
  if (images.kind === 'refused') return images;
  return most === 0 ? { kind: 'refused', reason: 'It accepts only text.' } : { kind: 'taken', most };
}
