import type { EncodedImage } from '../contracts/contract.ts';
import { ApiError, endedBy } from '../errors.ts';
import { checkImage, type Image } from '../images/check-image.ts';
import { dataUrlBytes, isDataUrl } from '../images/data-url.ts';
import { fetchImage } from '../images/fetch-image.ts';
import { ImageError } from '../images/image-header.ts';
import { type ImageSettings, permittedUrl } from '../images/image-sources.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ChatMessage } from '../requests/chat-request.ts';
import { anySignal, type Signal } from '../signal.ts';
import { withPlaceholders } from './image-messages.ts';

interface ImageOptions {
  readonly model: ServedModel;
  readonly settings: ImageSettings;
  /** How often the images are sent to the model. */
  readonly choices: number;
  readonly signal: Signal;
}

/** A conversation and the images that were taken out of it. */
export interface WithImages {
  /** The messages, with a placeholder instead of each image. */
  readonly messages: readonly ChatMessage[];
  /** In the order of the messages. */
  readonly images: readonly EncodedImage[];
  /** Ignored fields. */
  readonly ignored: readonly string[];
}

/** An image as the request names it. */
export interface NamedImage {
  readonly url: string;
  readonly detail?: string | null | undefined;
  /** The part that contains it, for example `messages[0].content[1]`. */
  readonly part: string;
}

/** The byte limit for all copies of a request's images: each choice sends them again. */
const mostCopied = 512 * 2 ** 20;

/** The images of a conversation, in the order of its messages. Refuses what the model or the settings do not allow. */
export function namedImages(messages: readonly ChatMessage[], context: ImageContext): readonly NamedImage[] {
  const named: NamedImage[] = [];
  for (const [at, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue;
    for (const [number, { type, image_url: image }] of content.entries())
      if (type === 'image_url' && image) named.push({ ...image, part: `messages[${at}].content[${number}]` });
  }
  const [first] = named;
  if (first) refuseByCount(named, first, context);
  return named;
}

type ImageContext = Pick<ImageOptions, 'model' | 'settings'>;

/** Reads and fetches the images of a conversation. Everything that can be refused is refused before the first fetch. */
export async function imagesOf(messages: readonly ChatMessage[], options: ImageOptions): Promise<WithImages> {
  return readImages(messages, namedImages(messages, options), options);
}

/** The same for images that are already named. */
export async function readImages(
  messages: readonly ChatMessage[],
  named: readonly NamedImage[],
  options: ImageOptions,
): Promise<WithImages> {
  const [first] = named;
  if (!first) return { messages, images: [], ignored: [] };
  const prepared = await withPlaceholders(messages, options.model, first.part);
  const images = await imagesAt(named, options);
  refuseCopies(images, options.choices);
  const wantsDetail = named.some(({ detail }) => detail && detail !== 'auto');
  return { messages: prepared, images, ignored: wantsDetail ? ['image_url.detail'] : [] };
}

/** The images of a conversation, and its messages with a placeholder for each. Nothing is read. */
export async function withImagePlaceholders(messages: readonly ChatMessage[], context: ImageContext) {
  const named = namedImages(messages, context);
  const [first] = named;
  return { named, messages: first ? await withPlaceholders(messages, context.model, first.part) : messages };
}

function refuseByCount(
  named: readonly NamedImage[],
  first: NamedImage,
  { model: { contract, name }, settings }: ImageContext,
): void {
  const { images } = contract;
  if (images.kind === 'refused')
    throw new ApiError('unsupported_parameter', `${first.part}: the model ${name} takes no images. ${images.reason}`, {
      param: first.part,
    });
  const most = Math.min(settings.most, images.most ?? Number.POSITIVE_INFINITY);
  const excess = named[most];
  if (!excess) return;
  const limit =
    most < settings.most ? `the model ${name} takes at most ${most}` : `at most ${most} are allowed (--max-images)`;
  throw refusal(excess.part, `the request has ${named.length} images; ${limit}.`);
}

/** Reads inline images first, then fetches the others at the same time. The first failure stops all fetches. */
async function imagesAt(named: readonly NamedImage[], { settings, signal }: ImageOptions): Promise<Image[]> {
  const { limits, sources, timeout } = settings;
  const inline = named.map(({ url, part }) =>
    atPart(part, () => {
      if (isDataUrl(url)) return checkImage(dataUrlBytes(url, limits), limits);
      permittedUrl(url, sources);
      return undefined;
    }),
  );
  const failed = new AbortController();
  const either = anySignal(signal, failed.signal);
  try {
    return await Promise.all(
      named.map(async ({ url, part }, at) => {
        const known = inline[at];
        if (known) return known;
        const bytes = await fetchImage(url, { sources, limits, timeout, signal: either }).catch((error: unknown) => {
          throw asApiError(error, part);
        });
        return atPart(part, () => checkImage(bytes, limits));
      }),
    );
  } catch (error) {
    failed.abort();
    if (signal.aborted) throw endedBy(signal, error);
    throw error;
  }
}

function refuseCopies(images: readonly Image[], choices: number): void {
  const bytes = images.reduce((sum, image) => sum + image.bytes.length, 0);
  if (bytes * choices > mostCopied)
    throw refusal('n', `the images would be sent ${choices} times, which is more than 512 MiB. Lower n.`);
}

function atPart<Value>(part: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw asApiError(error, part);
  }
}

function asApiError(error: unknown, part: string): unknown {
  return error instanceof ImageError ? refusal(`${part}.image_url.url`, error.message, error.cause) : error;
}

function refusal(path: string, reason: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', `${path}: ${reason}`, { param: path, cause });
}
