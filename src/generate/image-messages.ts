import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import { type ImagePlaceholder, imagePlaceholder } from '../prompt/image-placeholders.ts';
import type { ChatMessage } from '../requests/chat-request.ts';

type Part = Exclude<ChatMessage['content'], string | null | undefined>[number];

/** Every vLLM model declares an input for images, so the model itself must also have a placeholder for them. */
export async function takesImages(model: ServedModel, assets: PromptAssets): Promise<boolean> {
  if (model.contract.images.kind === 'refused' || model.mostImages === 0) return false;
  return (await imagePlaceholder(model.imagePlaceholder, assets)) !== undefined;
}

/** The messages as the model's template takes them, with a placeholder instead of each image. */
export async function withPlaceholders(
  messages: readonly ChatMessage[],
  model: ServedModel,
  firstPath: string,
): Promise<readonly ChatMessage[]> {
  const placeholder = await imagePlaceholder(model.imagePlaceholder, await model.assets());
  if (!placeholder)
    throw new ApiError(
      'invalid_request',
      `${firstPath}: the image placeholder is unknown: neither the chat template nor the tokenizer of ${model.name} ` +
        `has one. Start Conch with --image-placeholder ${model.name}=TEXT.`,
      { param: firstPath },
    );
  let images = 0;
  return messages.map((message) => {
    if (!Array.isArray(message.content)) return message;
    const content = message.content.flatMap((part: Part) => {
      if (part.type !== 'image_url') return [part];
      images += 1;
      return partsFor(placeholder, images);
    });
    return { ...message, content };
  });
}

/** A template needs to know that there is an image, not what is in it. */
function partsFor(placeholder: ImagePlaceholder, image: number): Part[] {
  switch (placeholder.kind) {
    case 'template':
      return [{ type: 'image_url', image_url: { url: '' } }];
    case 'text':
      return [{ type: 'text', text: placeholder.text(image) }];
    case 'none':
      return [];
  }
}
