import { describe, expect, it } from 'vitest';
import { fromPlainText, headingLink, listItem, paragraph } from './markdown.ts';

const x = (length: number) => 'x'.repeat(length);

describe('paragraph', () => {
  it('has lines of at most 120 columns', () => {
    expect(paragraph(`${x(60)} ${x(59)} ${x(10)}`)).toBe(`${x(60)} ${x(59)}\n${x(10)}`);
    expect(paragraph(`${x(60)} ${x(60)}`)).toBe(`${x(60)}\n${x(60)}`);
  });

  it('breaks neither code nor links', () => {
    expect(paragraph(`${x(110)} \`conch repo init\`, ${x(5)}`)).toBe(`${x(110)}\n\`conch repo init\`, ${x(5)}`);
    expect(paragraph(`${x(110)} [a b c d e f](#a), ${x(5)}`)).toBe(`${x(110)}\n[a b c d e f](#a), ${x(5)}`);
  });

  it.each(['-', '+', '*', '>', '##', '1.', '2)'])('begins no line with %s', (marker) => {
    expect(paragraph(`${x(115)} word ${marker} end`)).toBe(`${x(115)}\nword ${marker} end`);
  });
});

it('listItem aligns its lines', () => {
  expect(listItem(`${x(110)} ${x(20)}`)).toBe(`- ${x(110)}\n  ${x(20)}`);
  expect(listItem(`${x(110)} ${x(20)}`, 1)).toBe(`  - ${x(110)}\n    ${x(20)}`);
  expect(listItem(`${x(59)} ${x(58)}`)).toBe(`- ${x(59)} ${x(58)}`);
  expect(listItem(`${x(59)} ${x(58)}`, 1)).toBe(`  - ${x(59)}\n    ${x(58)}`);
});

it('fromPlainText marks flags as code and escapes Markdown', () => {
  expect(fromPlainText('With --max-running: * for all, <think>, a-b--c')).toBe(
    'With `--max-running`: \\* for all, \\<think>, a-b--c',
  );
});

it('headingLink leads where GitHub puts the heading', () => {
  expect(headingLink('Logs, metrics and traces')).toBe('[Logs, metrics and traces](#logs-metrics-and-traces)');
  expect(headingLink('`--port`', { text: 'port', page: 'settings.md' })).toBe('[port](settings.md#--port)');
});
