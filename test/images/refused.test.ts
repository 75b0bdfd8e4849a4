import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { llamaTokenizer, startGateway } from '../support/gateway.ts';
import { dataUrl, pngOf, sample } from '../support/image-fixtures.ts';
import { chat, firstUrl, image, refusal, text, user } from './requests.ts';

let conch: Conch;
beforeAll(async () => {
  conch = await startGateway(...llamaTokenizer(), '--max-image-size', '64KiB');
});
afterAll(() => conch.stop());

const responseTo = async (messages: readonly object[], body: object = {}): Promise<unknown> => {
  const response = await chat(conch.url, messages, body);
  return [response.status, response.body];
};

const png = sample('png');
const address = 'image URLs are not enabled on this server (--allow-image-urls). Send the image as a data URL.';

describe('an image that is refused', () => {
  it.each([
    [
      '50 megapixels',
      dataUrl(pngOf(10_000, 5_000)),
      'has 10000 x 5000 pixels; at most 33554432 pixels are allowed (--max-image-pixels).',
    ],
    [
      'a bomb',
      dataUrl(pngOf(2 ** 31 - 1, 2 ** 31 - 1)),
      'has 2147483647 x 2147483647 pixels; at most 33554432 pixels are allowed (--max-image-pixels).',
    ],
    ['a size that cannot be', dataUrl(pngOf(2 ** 31, 1)), 'is a PNG file that is truncated or damaged.'],
    [
      'too many bytes',
      dataUrl(Buffer.concat([png, Buffer.alloc(65_536)])),
      'is larger than the 65536 bytes allowed (--max-image-size).',
    ],
    ['a text', dataUrl(Buffer.from('Hello')), 'is not a PNG, JPEG, WebP or GIF file.'],
    [
      'a picture of another kind',
      dataUrl(Buffer.from('BM6\0\0\0\0\0\0\0'), 'image/bmp'),
      'is not a PNG, JPEG, WebP or GIF file.',
    ],
    [
      'a drawing',
      dataUrl(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'),
      'is not a PNG, JPEG, WebP or GIF file.',
    ],
    ['a wrong media type', dataUrl(png, 'application/pdf'), 'must have an image media type, not "application/pdf".'],
    ['a file that is cut', dataUrl(png.subarray(0, -4)), 'is a PNG file that is truncated or damaged.'],
    [
      'no base64',
      'data:image/png;base64,hello world',
      'is not valid base64. Use the standard alphabet with padding, without spaces.',
    ],
    ['a data URL without base64', 'data:image/png,hello', 'must be a base64 data URL: data:image/png;base64,...'],
    ['an address', 'https://example.com/a.png', address],
    ['an inner address', 'http://127.0.0.1:1/a.png', address],
    ['a file of the server', 'file:///etc/passwd', 'must be a data URL, or a URL with http:// or https://.'],
    ['no URL', 'a.png', 'must be a data URL, or a URL with http:// or https://.'],
  ])('is named: %s', async (_, url, reason) => {
    expect(await responseTo([user(image(url))])).toEqual(refusal(firstUrl, reason));
  });

  it.each([
    [user({ type: 'image_url' }), 'messages[0].content[0].image_url', 'is required in a content part of this type.'],
    [
      user({ type: 'image_url', image_url: 'data:' }),
      'messages[0].content[0].image_url',
      'must be an object with a url.',
    ],
    [user({ type: 'image_url', image_url: {} }), firstUrl, 'is required.'],
    [user(image('')), firstUrl, 'must not be empty.'],
    [user(image('data:', 'blurred')), 'messages[0].content[0].image_url.detail', 'must be auto, low or high.'],
    [
      { role: 'system', content: [image('data:')] },
      'messages[0].content[0]',
      'images are only supported in user and tool messages.',
    ],
    [
      { role: 'assistant', content: [image('data:')] },
      'messages[0].content[0]',
      'images are only supported in user and tool messages.',
    ],
  ])('is named where its part is wrong: %j', async (message, param, reason) => {
    expect(await responseTo([message])).toEqual(refusal(param, reason));
  });

  it('is one too many', async () => {
    const many = Array.from({ length: 17 }, () => image(dataUrl(png)));
    expect(await responseTo([user(text('x')), user(...many)])).toEqual(
      refusal('messages[1].content[16]', 'the request has 17 images; at most 16 are allowed (--max-images).'),
    );
  });

  it('is the first of a request to a model that takes none', async () => {
    const messages = [user(text('x')), user(text('y'), image(dataUrl(png)))];
    expect(await responseTo(messages, { model: 'vllm-2410' })).toEqual(
      refusal(
        'messages[1].content[1]',
        "the model vllm-2410 takes no images. This release of Triton's vLLM backend takes no images; 24.12 and later do.",
        'unsupported_parameter',
      ),
    );
  });

  it('has no place in the prompt of a model without a token for images', async () => {
    expect(await responseTo([user(image(dataUrl(png)))], { model: 'vllm-llama' })).toEqual(
      refusal(
        'messages[0].content[0]',
        'the image placeholder is unknown: neither the chat template nor the tokenizer of vllm-llama has one. ' +
          'Start Conch with --image-placeholder vllm-llama=TEXT.',
      ),
    );
  });
});
