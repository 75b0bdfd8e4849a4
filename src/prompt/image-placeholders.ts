import type { Tokenizer } from '../tokenizer.ts';
import type { PromptAssets } from './assets.ts';

/** The placeholder of an image in a prompt: the template writes it, or it is this text, or the backend adds it. */
export type ImagePlaceholder =
  | { readonly kind: 'template' }
  | { readonly kind: 'text'; text(image: number): string }
  | { readonly kind: 'none' };

/** The setting for a model that needs no text for its images. */
const noText = 'none';

/** The image placeholders of model families; all tokens of one must be in a vocabulary. */
const families: readonly (readonly string[])[] = [
  ['<|vision_start|>', '<|image_pad|>', '<|vision_end|>'],
  ['<start_of_image>'],
  ['<|image|>'],
  ['<image>'],
  ['[IMG]'],
];

/** Finds the image placeholder of a model: from the setting, its template or its tokenizer. */
export async function imagePlaceholder(
  set: string | undefined,
  { template, tokenizer }: Pick<PromptAssets, 'template' | 'tokenizer'>,
): Promise<ImagePlaceholder | undefined> {
  if (set === noText) return { kind: 'none' };
  if (set !== undefined) return { kind: 'text', text: (image) => set.replaceAll('{n}', String(image)) };
  if (template?.takesImages) return { kind: 'template' };
  const text = tokenizer && (await tokenText(tokenizer));
  return text === undefined ? undefined : { kind: 'text', text: () => text };
}

const found = new WeakMap<Tokenizer, Promise<string | undefined>>();

function tokenText(tokenizer: Tokenizer): Promise<string | undefined> {
  let text = found.get(tokenizer);
  if (!text) {
    text = firstFamily(tokenizer);
    found.set(tokenizer, text);
    text.catch(() => found.delete(tokenizer));
  }
  return text;
}

async function firstFamily(tokenizer: Tokenizer): Promise<string | undefined> {
  for (const tokens of families) {
    const lengths = await Promise.all(tokens.map((token) => tokenizer.count(token, { addSpecialTokens: false })));
    if (lengths.every((length) => length === 1)) return tokens.join('');
  }
  return undefined;
}
