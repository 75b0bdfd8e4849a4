import type { EncodedImage } from '../contracts/contract.ts';
import { ApiError, endedBy } from '../errors.ts';
import { checkImage, type Image } from '../images/check-image.ts';
import { dataUrlBytes, isDataUrl } from '../images/data-url.ts';
import { fetchImage } from '../images/fetch-image.ts';
import { ImageFault } from '../images/image-header.ts';
import { type ImageSettings, permittedUrl } from '../images/image-sources.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ChatMessage } from '../requests/chat-request.ts';
import { withPlaceholders } from './image-messages.ts';

interface ImageOptions {
  readonly model: ServedModel;
  readonly settings: ImageSettings;
  /** How often the images go to the model. */
  readonly choices: number;
  readonly signal: AbortSignal;
}

/** A conversation whose images were taken out of it. */
interface WithImages {
  /** The messages with what stands for an image in the place of each. */
  readonly messages: readonly ChatMessage[];
  /** In the order of the messages. */
  readonly images: readonly EncodedImage[];
  /** Fields that have no effect. */
  readonly ignored: readonly string[];
}

/** An image as the request names it. */
interface Named {
  readonly url: string;
  /** The part that it is in, such as `messages[0].content[1]`. */
  readonly part: string;
}

/** What all copies of a request's images may hold together: each choice sends them again. */
const mostCopied = 512 * 2 ** 20;

/** Reads and fetches the images of a conversation. Nothing is fetched before all that can be refused has been. */
export async function imagesOf(messages: readonly ChatMessage[], options: ImageOptions): Promise<WithImages> {
  const { named, messages: prepared } = await placedImages(messages, options);
  if (named.length === 0) return { messages, images: [], ignored: [] };
  const images = await imagesAt(named, options);
  refuseCopies(images, options.choices);
  const wantsDetail = named.some(({ detail }) => detail && detail !== 'auto');
  return { messages: prepared, images, ignored: wantsDetail ? ['image_url.detail'] : [] };
}

/** The places of a conversation's images, and its messages with what stands for an image in each. Nothing is read. */
export async function placedImages(
  messages: readonly ChatMessage[],
  { model, settings }: Pick<ImageOptions, 'model' | 'settings'>,
) {
  const named = messages.flatMap(({ content }, message) =>
    (Array.isArray(content) ? content : []).flatMap(({ type, image_url: image }, at) =>
      type === 'image_url' && image ? [{ ...image, part: `messages[${message}].content[${at}]` }] : [],
    ),
  );
  const [first] = named;
  if (!first) return { named, messages };
  refuseByCount(named, first, { model, settings });
  return { named, messages: await withPlaceholders(messages, model, first.part) };
}

function refuseByCount(
  named: readonly Named[],
  first: Named,
  { model: { contract, name }, settings }: Pick<ImageOptions, 'model' | 'settings'>,
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

/** Those in the request itself first; then the others, all at once, and none of them once one has failed. */
async function imagesAt(named: readonly Named[], { settings, signal }: ImageOptions): Promise<Image[]> {
  const { limits, sources, timeout } = settings;
  const inline = named.map(({ url, part }) =>
    inPlace(part, () => {
      if (isDataUrl(url)) return checkImage(dataUrlBytes(url, limits), limits);
      permittedUrl(url, sources);
      return undefined;
    }),
  );
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  try {
    return await Promise.all(
      named.map(async ({ url, part }, at) => {
        const known = inline[at];
        if (known) return known;
        const bytes = await fetchImage(url, { sources, limits, timeout, signal: either }).catch((error: unknown) => {
          throw asApiError(error, part);
        });
        return inPlace(part, () => checkImage(bytes, limits));
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
    throw refusal('n', `the images would be sent ${choices} times, which is too much at once; ask for fewer answers.`);
}

function inPlace<Value>(part: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw asApiError(error, part);
  }
}

function asApiError(error: unknown, part: string): unknown {
  return error instanceof ImageFault ? refusal(`${part}.image_url.url`, error.message, error.cause) : error;
}

function refusal(place: string, reason: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', `${place}: ${reason}`, { param: place, cause });
}
