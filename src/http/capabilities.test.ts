import { describe, expect, it } from 'vitest';
import { scriptedModel, vllmConfig } from '../../test/support/scripted-model.ts';
import { vllmContract } from '../contracts/vllm.ts';
import { jinjaTemplate } from '../prompt/chat-template.ts';
import type { Tokenizer } from '../tokenizer.ts';
import { capabilitiesOf } from './capabilities.ts';

const image = { name: 'image', data_type: 'TYPE_STRING', dims: [-1] };
const contract = vllmContract({ ...vllmConfig, input: [...vllmConfig.input, image] });
const plain = "{% for m in messages %}{{ m['content'] }}{% endfor %}";
const withImages = `{% for m in messages %}{% for p in m['content'] %}{% if p['type'] == 'image' %}<image>{% endif %}{% endfor %}{% endfor %}`;
const tokenizer = (known: string) =>
  ({ vocabularySize: 9, count: async (text: string) => (text === known ? 1 : 5) }) as unknown as Tokenizer;

interface Facts {
  readonly text?: string;
  readonly token?: string;
  readonly served?: object;
}

async function images({ text = plain, token = '', served = {} }: Facts): Promise<boolean | undefined> {
  const template = jinjaTemplate({ source: 'here', templates: { default: text }, specialTokens: {} });
  const assets = { template, tokenizer: tokenizer(token), eosTokenIds: [] };
  const { model } = scriptedModel([{ tokens: [] }], { contract, assets, ...served });
  return (await capabilitiesOf(model))['images'];
}

describe('the capability images', () => {
  it.each<[boolean, string, Facts]>([
    [false, 'a model without a placeholder for them, although its backend takes them', {}],
    [true, 'a chat template that takes them', { text: withImages }],
    [true, 'a tokenizer with an image token', { token: '<image>' }],
    [true, 'a placeholder that is set', { served: { imagePlaceholder: '<img>' } }],
    [false, 'a limit of 0', { text: withImages, served: { mostImages: 0 } }],
    [false, 'a backend that takes none', { text: withImages, served: { contract: vllmContract(vllmConfig) } }],
  ])('is %s for %s', async (expected, _, facts) => {
    expect(await images(facts)).toBe(expected);
  });
});
