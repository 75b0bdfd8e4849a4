import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { isLarge, jinjaTemplate, type TemplateInput } from './chat-template.ts';
import { historyTemplate } from './history-template.ts';
import { defaultHistoryTemplate } from './render-history.ts';

const user = { role: 'user', content: 'Hello' };

function input(fields: Partial<TemplateInput> = {}): TemplateInput {
  return { messages: [user], addGenerationPrompt: false, continueFinalMessage: false, variables: {}, ...fields };
}

function template(text: string) {
  return jinjaTemplate({ source: 'test', templates: { default: text }, specialTokens: { bos_token: '<s>' } });
}

const call = (text: string) => ({ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: text } }] });
const contents = '{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}';

describe('a Jinja template', () => {
  it('strips characters, however many units each has', async () => {
    const stripped = template("{{ messages[0].content.strip('x🦊') }}|{{ messages[0].content.strip(half) }}|");
    const variables = { half: '\ud83e\udd8a'.slice(0, 1) };
    const render = (content: string) => stripped.render(input({ messages: [{ role: 'user', content }], variables }));
    expect(await Promise.all(['x🦊a x 🦊x', '🦊', '🐶🦊', '', 'x'].map(render))).toEqual([
      'a x |x🦊a x 🦊x|',
      '|🦊|',
      '🐶|🐶🦊|',
      '||',
      '|x|',
    ]);
  });

  it('writes JSON in each of the styles that Python has', async () => {
    const value = { b: [1, 'é"\n', null, [], {}], a: { c: true, d: 1.5 }, e: [] };
    const written = (call: string) => template(`{{ v | ${call} }}`).render(input({ variables: { v: value } }));
    expect(await Promise.all(['tojson', 'tojson(ensure_ascii=true, sort_keys=true)'].map(written))).toEqual([
      '{"b": [1, "é\\"\\n", null, [], {}], "a": {"c": true, "d": 1.5}, "e": []}',
      '{"a": {"c": true, "d": 1.5}, "b": [1, "\\u00e9\\"\\n", null, [], {}], "e": []}',
    ]);
    expect(await written("tojson(separators=(',', ':'))")).toBe(
      '{"b":[1,"é\\"\\n",null,[],{}],"a":{"c":true,"d":1.5},"e":[]}',
    );
    expect(await written('tojson(indent=1)')).toBe(
      '{\n "b": [\n  1,\n  "é\\"\\n",\n  null,\n  [],\n  {}\n ],\n "a": {\n  "c": true,\n  "d": 1.5\n },\n "e": []\n}',
    );
  });

  it('reads a long row of digits once', async () => {
    const read = template('{{ messages[0].content | float }}');
    const render = (content: string) => read.render(input({ messages: [{ role: 'user', content }] }));
    expect(await render(`${'1'.repeat(100_000)}x`)).toBe('0.0');
    expect(await Promise.all(['1', '1.', '1.5', '.5', '-1.5e3', '.', '1..5'].map(render))).toEqual([
      '1.0',
      '1.0',
      '1.5',
      '0.5',
      '-1500.0',
      '0.0',
      '0.0',
    ]);
  });

  it('sets names only for its own rendering, those that every template has among them', async () => {
    const setting = template('{% set range = 5 %}{% set x = 6 %}{{ range }}{{ x }}');
    const asking = template('{{ range is callable }} {{ x is defined }}');
    expect([await asking.render(input()), await setting.render(input()), await asking.render(input())]).toEqual([
      'True False',
      '56',
      'True False',
    ]);
  });

  it('takes the variant for tools or documents', async () => {
    const templates = { default: 'plain', tool_use: 'tools', rag: 'documents' };
    const several = jinjaTemplate({ source: 'test', templates, specialTokens: {} });
    const inputs = [input(), input({ tools: [] }), input({ documents: [] }), input({ tools: [], documents: [] })];
    expect(await Promise.all(inputs.map((each) => several.render(each)))).toEqual([
      'plain',
      'tools',
      'documents',
      'tools',
    ]);
    expect(() => jinjaTemplate({ source: 'x', templates: { a: '', b: '' }, specialTokens: {} })).toThrow(
      'x has the templates a, b but none named default.',
    );
  });

  it('knows which variables it reads', () => {
    const thinking = template('{% if enable_thinking %}{{ messages[0].reasoning }}{% endif %}{{ "tools" }}');
    expect(['enable_thinking', 'reasoning', 'tools', 'effort'].map((name) => thinking.mentions(name))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('gives developers to a template that knows them, else as the system', async () => {
    const messages = [{ role: 'developer', content: 'Be brief.' }];
    expect(await template(contents).render(input({ messages }))).toBe('<system>Be brief.');
    expect(await template(`{% if m == 'developer' %}{% endif %}${contents}`).render(input({ messages }))).toBe(
      '<developer>Be brief.',
    );
  });

  it('joins text parts for a template of texts, and hands parts to one that walks over them', async () => {
    const content = [
      { type: 'text', text: 'one' },
      { type: 'refusal', refusal: 'no' },
      { type: 'text', text: 'two' },
    ];
    const image = { type: 'image_url', image_url: { url: 'data:' } };
    const walks = template(
      "{% for m in messages %}{% for p in m['content'] %}[{{ p.type }}{{ p.text }}{{ 'image_url' in p }}]{% endfor %}{% endfor %}",
    );
    const macro = template(
      '{% macro show(content) %}{% for p in content %}[{{ p.type }}]{% endfor %}{% endmacro %}{{ show(messages[0].content) }}',
    );
    expect(await template(contents).render(input({ messages: [{ role: 'user', content }] }))).toBe(
      '<user>one\nno\ntwo',
    );
    expect(await walks.render(input({ messages: [{ role: 'user', content: [...content, image] }] }))).toBe(
      '[textoneFalse][textnoFalse][texttwoFalse][imageTrue]',
    );
    expect(await macro.render(input({ messages: [{ role: 'user', content: [image] }] }))).toBe('[image]');
    const error = await template(contents)
      .render(input({ messages: [user, { role: 'user', content: [image] }] }))
      .catch((thrown) => thrown as ApiError);
    expect(error instanceof ApiError && error.message).toBe(
      "The chat template of this model accepts only text; messages[1] has a part of type 'image_url'.",
    );
  });

  it('gives tool call arguments as an object, or as text to a template that joins them', async () => {
    const messages = [call('{"b": 1.0, "1": "x"}'), call('{"a":'), call('')];
    const each = '{% for m in messages %}{% for c in m.tool_calls %}';
    const objects = template(`${each}{{ c.function.arguments | tojson }};{% endfor %}{% endfor %}`);
    const texts = template(`${each}{{ c.function.arguments + ';' }}{% endfor %}{% endfor %}`);
    expect(await objects.render(input({ messages }))).toBe('{"b": 1.0, "1": "x"};"{\\"a\\":";{};');
    expect(await texts.render(input({ messages }))).toBe('{"b": 1.0, "1": "x"};{"a":;;');
  });

  it('gives a missing content as none only to a template that asks for it', async () => {
    const messages = [{ role: 'assistant', content: null }];
    expect(await template('[{{ messages[0].content }}]').render(input({ messages }))).toBe('[]');
    expect(await template('{{ messages[0].content is none }}').render(input({ messages }))).toBe('True');
  });

  it('gives reasoning under each name that templates read it by', async () => {
    const names = template('{{ messages[0].reasoning_content }}|{{ messages[0].thinking }}');
    const rendered = ['reasoning_content', 'thinking', 'reasoning'].map((field) =>
      names.render(input({ messages: [{ role: 'assistant', content: 'x', [field]: 'Hm.' }] })),
    );
    expect(await Promise.all(rendered)).toEqual(['Hm.|Hm.', 'Hm.|Hm.', 'Hm.|Hm.']);
  });

  it('continues the final message', async () => {
    const trims = template('{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}<end>{% endfor %}');
    const messages = [user, { role: 'assistant', content: 'So ' }];
    const continued = input({ messages, continueFinalMessage: true });
    expect(await template(`${contents}<end>`).render(continued)).toBe('<user>Hello<assistant>So ');
    expect(await trims.render(continued)).toBe('<user>Hello<end><assistant>So');
    const drops = template('nothing of it').render(continued);
    await expect(drops).rejects.toThrow('leaves the final message out');
    const both = template(contents).render({ ...continued, addGenerationPrompt: true });
    await expect(both).rejects.toThrow('exclude each other');
  });

  it('refuses with a 400 what it cannot render', async () => {
    const failing = ["{{ raise_exception('Only users.') }}", '{{ messages[0].content + 1 }}', '{{ nobody.name }}'];
    const errors = await Promise.all(
      failing.map((text) =>
        template(text)
          .render(input())
          .catch((error: ApiError) => [error.status, error.param, error.message]),
      ),
    );
    expect(errors).toEqual([
      [400, 'messages', 'Only users.'],
      [
        400,
        'messages',
        'The chat template of this model cannot render these messages: can only concatenate str (not "int") to str',
      ],
      [400, 'messages', "The chat template of this model cannot render these messages: 'nobody' is undefined"],
    ]);
    expect(() => template('{% if %}')).toThrow('The chat template is not valid Jinja');
  });
});

describe('a history template', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', name: 'Ann', content: [{ type: 'text', text: 'Hi' }] },
    { role: 'assistant', content: 'Hello' },
    { role: 'tool', content: '21' },
  ];

  it('writes one line for each item and the assistant last', async () => {
    expect(await historyTemplate(defaultHistoryTemplate).render(input({ messages }))).toBe(
      'System: Be brief.\nUser Ann: Hi\nAssistant: Hello\nTool: 21\nAssistant:',
    );
  });

  it('reads no files and takes no tools', async () => {
    const reads = historyTemplate("{% render '/etc/hostname' %}");
    await expect(reads.render(input())).rejects.toMatchObject({ code: 'invalid_request', param: 'messages' });
    const tools = historyTemplate('x').render(input({ tools: [] }));
    await expect(tools).rejects.toMatchObject({ code: 'invalid_request', param: 'tools' });
    expect(() => historyTemplate('{% for %}')).toThrow('The history template is not valid Liquid');
  });
});

describe('isLarge', () => {
  it('tells what a thread renders: much text, or many values', () => {
    const text = 'x'.repeat(512 * 1024);
    const inputs = [
      [{ content: text }],
      [{ content: `${text}x` }],
      [{ content: text }, { content: 'x' }],
      Array.from({ length: 2700 }, () => user),
      Array.from({ length: 2800 }, () => user),
      { list: Array.from({ length: 9000 }, () => 1) },
      null,
    ];
    expect(inputs.map(isLarge)).toEqual([false, true, true, false, true, true, false]);
  });
});
