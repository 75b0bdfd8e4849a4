import { describe, expect, it } from 'vitest';
import type { Tokenizer } from '../tokenizer.ts';
import { jinjaTemplate } from './chat-template.ts';
import { historyTemplate } from './history-template.ts';
import { imagePlaceholder } from './image-placeholders.ts';

/** A tokenizer that has these texts as tokens, and one token for each character of any other. */
function tokenizerWith(...tokens: readonly string[]) {
  let counted = 0;
  const tokenizer = {
    count: (text: string) => {
      counted += 1;
      return Promise.resolve(tokens.includes(text) ? 1 : text.length);
    },
  } as unknown as Tokenizer;
  return { tokenizer, counted: () => counted };
}

const templateOf = (text: string) => jinjaTemplate({ source: 'test', templates: { default: text }, specialTokens: {} });
const textOnly = templateOf("{% for m in messages %}{{ m['content'] }}{% endfor %}");

async function textFor(set: string | undefined, ...tokens: readonly string[]) {
  const placeholder = await imagePlaceholder(set, { template: textOnly, ...tokenizerWith(...tokens) });
  return placeholder?.kind === 'text' ? [placeholder.text(1), placeholder.text(2)] : placeholder?.kind;
}

describe('imagePlaceholder', () => {
  it.each([
    [
      'Qwen2-VL',
      "{% for m in messages %}{% for c in m['content'] %}{% if c['type'] == 'image' or 'image_url' in c %}<|image_pad|>{% endif %}{% endfor %}{% endfor %}",
    ],
    [
      'Llama 3.2',
      "{% for m in messages %}{% for c in m['content'] %}{% if c['type'] == 'image' %}{{ '<|image|>' }}{% endif %}{% endfor %}{% endfor %}",
    ],
    [
      'LLaVA',
      "{% for m in messages %}{% for c in m['content'] | selectattr('type', 'equalto', 'image') %}<image>{% endfor %}{% endfor %}",
    ],
    [
      'Pixtral',
      "{% for m in messages %}{% for b in m['content'] %}{% if b['type'] in ['image', 'image_url'] %}[IMG]{% endif %}{% endfor %}{% endfor %}",
    ],
  ])('leaves it to a template that reads images: %s', async (_, text) => {
    const template = templateOf(text);
    expect(await imagePlaceholder(undefined, { template, ...tokenizerWith('<image>') })).toEqual({ kind: 'template' });
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: '' } }] }];
    const input = { messages, addGenerationPrompt: false, continueFinalMessage: false, variables: {} };
    expect(await template.render(input)).toMatch(/^(<\|image_pad\|>|<\|image\|>|<image>|\[IMG\])$/);
  });

  it('gives text as a part to a template that takes images and never asks for text', async () => {
    const smol =
      "{% for m in messages %}{% for c in m['content'] %}{% if c['type'] == 'text' %}{{ c['text'] }}{% elif c['type'] == 'image' %}<image>{% endif %}{% endfor %}{% endfor %}";
    const asks = `{% for m in messages %}{% if m['content'] is string %}text: {{ m['content'] }}{% endif %}{% endfor %}${smol}`;
    const input = {
      messages: [{ role: 'user', content: 'Hello' }],
      addGenerationPrompt: false,
      continueFinalMessage: false,
      variables: {},
    };
    expect(await templateOf(smol).render(input)).toBe('Hello');
    expect(await templateOf(asks).render(input)).toBe('text: Hello');
  });

  it('does not trust a template that walks over parts and reads only text, nor one without parts', async () => {
    const walks =
      "{% for m in messages %}{% for c in m['content'] %}{% if c['type'] == 'text' %}{{ c['text'] }}{% endif %}{% endfor %}{% endfor %}";
    for (const template of [templateOf(walks), textOnly, historyTemplate('{{ items }}'), undefined]) {
      const assets = { ...(template ? { template } : {}), tokenizer: tokenizerWith('<image>').tokenizer };
      expect(await imagePlaceholder(undefined, assets)).toMatchObject({ kind: 'text' });
    }
  });

  it('finds the token of the family', async () => {
    const qwen = ['<|vision_start|>', '<|image_pad|>', '<|vision_end|>'];
    expect(await textFor(undefined, ...qwen)).toEqual([qwen.join(''), qwen.join('')]);
    expect(await textFor(undefined, '<|image_pad|>', '[IMG]')).toEqual(['[IMG]', '[IMG]']);
    expect(await textFor(undefined, '<image>')).toEqual(['<image>', '<image>']);
    expect(await textFor(undefined, 'a')).toBeUndefined();
    expect(await imagePlaceholder(undefined, {})).toBeUndefined();
  });

  it('asks a tokenizer once', async () => {
    const { tokenizer, counted } = tokenizerWith('[IMG]');
    await imagePlaceholder(undefined, { tokenizer });
    const before = counted();
    await imagePlaceholder(undefined, { tokenizer });
    expect([before, counted()]).toEqual([7, 7]);
  });

  it('takes the word of the operator', async () => {
    expect(await textFor('<pic>', '<image>')).toEqual(['<pic>', '<pic>']);
    expect(await textFor('<|image_{n}|>', '<image>')).toEqual(['<|image_1|>', '<|image_2|>']);
    expect(await textFor('none', '<image>')).toBe('none');
    const template = templateOf(
      "{% for m in messages %}{% for c in m['content'] %}{{ c['type'] == 'image' }}{% endfor %}{% endfor %}",
    );
    expect(await imagePlaceholder('none', { template })).toEqual({ kind: 'none' });
  });
});
