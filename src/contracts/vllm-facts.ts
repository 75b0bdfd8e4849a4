import type { GenerationContract } from './contract.ts';
import type { ModelContracts } from './row-contracts.ts';

/** What is known of a vLLM model beside its tensors, which every model of the backend declares alike. */
export interface VllmFacts {
  /** Tokens that prompt and response may have together. */
  readonly context?: number;
  readonly generatesText?: boolean;
  readonly makesEmbeddings?: boolean;
  /** The most images of one prompt; 0: it takes none. */
  readonly mostImages?: number;
}

/**
 * The texts by which an engine tells what its model is. Each is matched as a whole from its first word: a text may quote
 * the name of an adapter or a part of the request, which must not pass for the engine's own words.
 */
const tellingTexts: readonly (readonly [RegExp, (match: RegExpExecArray) => VllmFacts])[] = [
  [
    /^The decoder prompt \(length \d+\)(?: plus the number of requested output tokens \(at least 1\))? is longer than the maximum model length of ([1-9]\d{0,8})(?:\.\s|\.?$)/,
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

/** What Triton and the backend put before the engine's own text. */
const introduction = /^(?:\[request id: [\w.-]*\] )?(?:Error generating stream: )?/;

/** What an error text of the vLLM backend teaches about its model; undefined where it teaches nothing. */
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
  return most === 0 ? { kind: 'refused', reason: 'It knows only text.' } : { kind: 'taken', most };
}
