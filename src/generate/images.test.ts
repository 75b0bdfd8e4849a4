import { describe, expect, it } from 'vitest';
import { dataUrl, pngOf, sample } from '../../test/support/image-fixtures.ts';
import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ChatMessage } from '../requests/chat-request.ts';
import { imagesOf } from './images.ts';

const settings = {
  most: 3,
  limits: { bytes: 2 ** 20, pixels: 2 ** 25 },
  sources: { hosts: [], addresses: [] },
  timeout: 1000,
};

/** A model of which only what images need is there. */
function modelWith(parts: { images?: object; imagePlaceholder?: string; template?: object }): ServedModel {
  const { images = { kind: 'taken' }, template, ...rest } = parts;
  const assets = () => Promise.resolve({ eosTokenIds: [], ...(template ? { template } : {}) });
  return { name: 'm', contract: { images }, assets, ...rest } as unknown as ServedModel;
}

const seeing = modelWith({ template: { takesImages: true } });
const signal = new AbortController().signal;
const image = (url: string, detail?: 'auto' | 'low' | 'high') => ({
  type: 'image_url',
  image_url: { url, ...(detail ? { detail } : {}) },
});
const user = (...content: object[]): ChatMessage => ({ role: 'user', content }) as ChatMessage;

async function refusalOf(messages: ChatMessage[], model = seeing, choices = 1): Promise<unknown> {
  try {
    return await imagesOf(messages, { model, settings, choices, signal });
  } catch (error) {
    const { code, param, message } = error as ApiError;
    return [code, param, message];
  }
}

const [png, jpeg, gif] = (['png', 'jpeg', 'gif'] as const).map(sample) as [Buffer, Buffer, Buffer];

describe('imagesOf', () => {
  it('takes the images out, in their order, and leaves placeholders without bytes for the template', async () => {
    const messages = [
      { role: 'system', content: 'Look.' } as const,
      user({ type: 'text', text: 'First' }, image(dataUrl(png), 'high'), image(dataUrl(jpeg, 'image/gif'), 'auto')),
      user(image(dataUrl(gif), 'low')),
    ];
    const location = { type: 'image_url', image_url: { url: '' } };
    expect(await imagesOf(messages, { model: seeing, settings, choices: 1, signal })).toEqual({
      messages: [messages[0], user({ type: 'text', text: 'First' }, location, location), user(location)],
      images: [
        { type: 'image/png', bytes: png },
        { type: 'image/jpeg', bytes: jpeg },
        { type: 'image/gif', bytes: gif },
      ],
      ignored: ['image_url.detail'],
    });
  });

  it('writes the text that is set, with its number, or nothing', async () => {
    const messages = [user(image(dataUrl(png)), { type: 'text', text: 'x' }), user(image(dataUrl(gif)))];
    const display = async (imagePlaceholder: string) => {
      const model = modelWith({ imagePlaceholder });
      return (await imagesOf(messages, { model, settings, choices: 1, signal })).messages;
    };
    const text = (words: string) => ({ type: 'text', text: words });
    expect(await display('<|image_{n}|>')).toEqual([user(text('<|image_1|>'), text('x')), user(text('<|image_2|>'))]);
    expect(await display('none')).toEqual([user(text('x')), user()]);
  });

  it('gives a conversation without images as it is', async () => {
    const messages = [user({ type: 'text', text: 'x' }), { role: 'user', content: 'y' } as const];
    const model = modelWith({ images: { kind: 'refused', reason: 'No.' } });
    const value = await imagesOf(messages, { model, settings, choices: 1, signal });
    expect(value).toEqual({ messages, images: [], ignored: [] });
    expect(value.messages).toBe(messages);
  });

  it('refuses by the model, by the count and by the path', async () => {
    const three = user({ type: 'text', text: 'x' }, ...[1, 2, 3].map(() => image(dataUrl(png))));
    const none = modelWith({ images: { kind: 'refused', reason: 'It reads.' } });
    expect(await refusalOf([three], none)).toEqual([
      'unsupported_parameter',
      'messages[0].content[1]',
      'messages[0].content[1]: the model m takes no images. It reads.',
    ]);
    expect(await refusalOf([three], modelWith({ images: { kind: 'taken', most: 2 } }))).toEqual([
      'invalid_request',
      'messages[0].content[3]',
      'messages[0].content[3]: the request has 3 images; the model m takes at most 2.',
    ]);
    expect(await refusalOf([three, user(image('data:,'))])).toEqual([
      'invalid_request',
      'messages[1].content[0]',
      'messages[1].content[0]: the request has 4 images; at most 3 are allowed (--max-images).',
    ]);
    expect(await refusalOf([three], modelWith({}))).toEqual([
      'invalid_request',
      'messages[0].content[1]',
      'messages[0].content[1]: the image placeholder is unknown: neither the chat template nor the tokenizer of m ' +
        'has one. Start Conch with --image-placeholder m=TEXT.',
    ]);
    const location = 'messages[0].content[0].image_url.url';
    expect(await refusalOf([user(image(dataUrl(pngOf(10_000, 5_000))))])).toEqual([
      'invalid_request',
      location,
      `${location}: has 10000 x 5000 pixels; at most 33554432 pixels are allowed (--max-image-pixels).`,
    ]);
    expect(await refusalOf([user(image('http://127.0.0.1/'))])).toEqual([
      'invalid_request',
      location,
      `${location}: image URLs are not enabled on this server (--allow-image-urls). Send the image as a data URL.`,
    ]);
  });

  it('refuses to send large images a thousand times', async () => {
    const large = Buffer.concat([png, Buffer.alloc(600_000)]);
    expect(await refusalOf([user(image(dataUrl(large)))], seeing, 1000)).toEqual([
      'invalid_request',
      'n',
      'n: the images would be sent 1000 times, which is more than 512 MiB. Lower n.',
    ]);
  });

  it('reports that the client disconnected', async () => {
    const sources = { hosts: [{ host: 'pictures.test' }], addresses: [] };
    const requested = imagesOf([user(image('http://pictures.test/'))], {
      model: seeing,
      settings: { ...settings, sources },
      choices: 1,
      signal: AbortSignal.abort(),
    });
    await expect(requested).rejects.toMatchObject({ code: 'client_closed_request' });
    await expect(requested).rejects.toBeInstanceOf(ApiError);
  });
});
