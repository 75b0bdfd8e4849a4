import { describe, expect, it } from 'vitest';
import { fillTemplate, parseSubstitutions } from './fill-template.ts';

describe('parseSubstitutions', () => {
  it.each([
    ['a:1,b:2', { a: '1', b: '2' }],
    ['a:', { a: '' }],
    ['', {}],
    ['a:0\\,1', { a: '0,1' }],
    ['a:x\\\\:y', { a: 'x:y' }],
    ['a:/p\\:q', { a: '/p:q' }],
    ['url:http://h:8/p', { url: 'http://h:8/p' }],
    ['a:{0\\, 0}\\, {1},b:2', { a: '{0, 0}, {1}', b: '2' }],
    ['a:end\\', { a: 'end' }],
    ['a:1,a:2', { a: '2' }],
  ])('takes %j', (text, values) => {
    expect(Object.fromEntries(parseSubstitutions(text))).toEqual(values);
  });

  it.each([
    ['a', '"a" must have the format name:value.'],
    ['a:1,b', '"b" must have the format name:value.'],
    ['a b:1', '"a b" is not a valid name: use letters, digits and _.'],
  ])('refuses %j', (text, problem) => {
    expect(() => parseSubstitutions(text)).toThrow(problem);
  });
});

describe('fillTemplate', () => {
  const fill = (template: string, values: Record<string, string> = {}) =>
    fillTemplate(template, new Map(Object.entries(values)));

  it('fills known names only, once, and turns $$ into $', () => {
    const { text, unknown } = fill('${a} $a ${b} $c $$ ${a}b $ 5', { a: '${b}', d: '1' });
    expect(text).toBe('${b} ${b} ${b} $c $ ${b}b $ 5');
    expect(unknown).toEqual(['d']);
  });

  it('knows the two values that need not be given', () => {
    expect(fill('${max_queue_size} ${max_queue_delay_microseconds}').text).toBe('0 0');
    expect(fill('${max_queue_size}', { max_queue_size: '7' }).text).toBe('7');
  });

  it('reports what is not filled in, and whether it is in quotes', () => {
    const template = '# ${comment}\na: ${b}\nc: "x # ${d}" \'${e}\' ${f} # ${g}\n';
    expect(fill(template).unfilled).toEqual([
      { name: 'b', line: 2, column: 4, quoted: false },
      { name: 'd', line: 3, column: 9, quoted: true },
      { name: 'e', line: 3, column: 16, quoted: true },
      { name: 'f', line: 3, column: 22, quoted: false },
    ]);
  });
});
