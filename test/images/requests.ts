import { createHash } from 'node:crypto';
import { textsOf } from '../gateway/requests.ts';
import { directive } from '../support/exchange.ts';
import { post, type Response } from '../support/gateway.ts';

export function image(url: string, detail?: string) {
  return { type: 'image_url', image_url: { url, ...(detail === undefined ? {} : { detail }) } };
}

export function text(words: string) {
  return { type: 'text', text: words };
}

/** Asks the toy model which images it received. */
export const whichImages = text(directive({ echo_images: true }));

/** One message of the user, made of parts. */
export function user(...content: readonly object[]) {
  return { role: 'user', content };
}

export function chat(url: string, messages: readonly object[], body: object = {}): Promise<Response> {
  return post(`${url}/v1/chat/completions`, { model: 'vllm-toy', messages, ...body });
}

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The hashes of the images that the model received, for each choice. */
export function imagesIn(response: Response): unknown {
  return textsOf(response).map((list) => JSON.parse(list) as unknown);
}

/** The place of the first image of the first message. */
export const firstUrl = 'messages[0].content[0].image_url.url';

/** A refusal as the client sees it. */
export function refusal(param: string, reason: string, code = 'invalid_request') {
  return [400, { error: { message: `${param}: ${reason}`, type: 'invalid_request_error', param, code } }];
}
