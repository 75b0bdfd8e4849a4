import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receivedFor, streamedChoices, textsOf } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { gatewayFlags } from '../support/gateway.ts';
import { dataUrl, pngOf, sample, sampleNames } from '../support/image-fixtures.ts';
import { chat, hashOf, image, imagesIn, text, user, whichImages } from './requests.ts';

let conch: Conch;
beforeAll(async () => {
  const seeing = ['--tokenizer', `vllm-bos=${tokenizerFolder('gemma3')}`, '--image-placeholder', 'vllm-2502=<pic {n}>'];
  conch = await startConch({ flags: [...gatewayFlags(), ...seeing] });
});
afterAll(() => conch.stop());

describe('an image in a message', () => {
  it.each(sampleNames)('reaches the model byte by byte: %s', async (name) => {
    const response = await chat(conch.url, [user(image(dataUrl(sample(name))), whichImages)]);
    expect([response.status, imagesIn(response)]).toEqual([200, [[hashOf(sample(name))]]]);
  });

  it('stands in its order among several, over several messages, streamed too', async () => {
    const [png, jpeg, webp, gif] = (['png', 'jpeg', 'webpLossy', 'gif'] as const).map(sample) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    const messages = [
      { role: 'system', content: 'Look.' },
      user(image(dataUrl(gif)), text('then'), image(dataUrl(png))),
      { role: 'assistant', content: 'Seen.' },
      user(text('and'), image(dataUrl(jpeg)), image(dataUrl(webp)), image(dataUrl(gif)), whichImages),
    ];
    const hashes = [gif, png, jpeg, webp, gif].map(hashOf);
    expect(imagesIn(await chat(conch.url, messages))).toEqual([hashes]);
    const streamed = await chat(conch.url, messages, { stream: true, n: 2 });
    expect(streamedChoices(streamed).map((choice) => JSON.parse(choice.text) as unknown)).toEqual([hashes, hashes]);
  });

  it('may be large', async () => {
    const large = Buffer.concat([pngOf(5792, 5792), Buffer.alloc(8 * 2 ** 20, 'behind the picture')]);
    const response = await chat(conch.url, [user(image(dataUrl(large)), whichImages)]);
    expect(imagesIn(response)).toEqual([[hashOf(large)]]);
  });

  it('is base64 without a prefix in the tensor, and none where there is no image', async () => {
    const echo = text(directive({ echo_parameters: true }));
    const model = 'vllm-bos';
    const [received] = receivedFor(await chat(conch.url, [user(image(dataUrl(sample('png'))), echo)], { model }));
    expect(received?.inputs['image']).toEqual([sample('png').toString('base64')]);
    const [without] = receivedFor(await chat(conch.url, [user(echo)], { model }));
    expect(without?.inputs).not.toHaveProperty('image');
  });

  it('may come with the answer of a tool', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
    const messages = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: [image(dataUrl(sample('jpeg'))), whichImages] },
    ];
    expect(imagesIn(await chat(conch.url, messages))).toEqual([[hashOf(sample('jpeg'))]]);
  });

  it('has no detail on these backends, and the header says so', async () => {
    const url = dataUrl(sample('png'));
    const response = await chat(conch.url, [
      user(image(url, 'high'), image(url, 'auto'), image(url, 'low'), text('x')),
    ]);
    expect([response.status, response.headers.get('x-conch-ignored')]).toEqual([200, 'image_url.detail']);
  });
});

describe('the place of an image in the prompt', () => {
  const url = dataUrl(sample('png'));
  const seen = (order: Record<string, unknown>) =>
    user(text('One'), image(url), text('two'), image(url), text(directive(order)));
  const idsOf = async (model: string, message: object): Promise<unknown> =>
    JSON.parse(textsOf(await chat(conch.url, [message], { model }))[0] ?? '');

  it.each([
    ['the token of the tokenizer', 'vllm-toy', ['<|vision_start|><|image_pad|><|vision_end|>']],
    ['the text that is set', 'vllm-2502', ['<pic 1>', '<pic 2>']],
  ])('is %s where the template knows text alone', async (_, model, [first, second = first]) => {
    const echo = { echo_ids: true };
    const written = `One\n${first}\ntwo\n${second}\n${directive(echo)}`;
    expect(await idsOf(model, seen(echo))).toEqual(await idsOf(model, { role: 'user', content: written }));
  });

  it('is what the template writes where it knows images', async () => {
    const [response = ''] = textsOf(await chat(conch.url, [seen({ echo_prompt: true })], { model: 'vllm-bos' }));
    expect(JSON.parse(response)).toContain('One<start_of_image>two<start_of_image><<{"echo_prompt":true}>>');
  });
});
