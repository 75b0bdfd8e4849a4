import { describe, expect, it } from 'vitest';
import { reasoningFormats } from './formats.ts';
import type { ReasoningParser, ReasoningSink } from './reasoning-parser.ts';

const LENGTH = 1 << 15;
const AT_ONCE = Number.MAX_SAFE_INTEGER;

const openings: Readonly<Record<string, string>> = {
  'gpt-oss': '<|channel|>analysis<|message|>',
  mistral: '[THINK]',
};

const loads = reasoningFormats.flatMap((format) => {
  const open = openings[format.name] ?? '<think>';
  const close = open === '<think>' ? '</think>\n' : open === '[THINK]' ? '[/THINK]' : '<|end|>\n';
  const texts: Readonly<Record<string, (length: number) => string>> = {
    reasoning: (length) => open + 'So it is. '.repeat(length / 10),
    'blanks in reasoning': (length) => `${open}Hm.${'\n '.repeat(length / 2)}`,
    'blanks before an answer': (length) => ' \n'.repeat(length / 2),
    'begun markers': (length) =>
      open +
      close
        .slice(0, -2)
        .trim()
        .repeat(length / 6),
    'many blocks': (length) => `${open}Hm.${close}`.repeat(length / 16),
    code: (length) => `${open}${close}${`\`\`\`\n${open}\n`.repeat(length / 16)}`,
  };
  return Object.entries(texts).flatMap(([name, text]) =>
    [1, AT_ONCE].map((pieceLength) => ({
      name: `${format.name}: ${name} ${pieceLength === 1 ? 'by character' : 'at once'}`,
      text,
      pieceLength,
      parser: () => format.parser({ prompt: '' }),
    })),
  );
});

describe('the time is linear in the length of the text', { timeout: 60_000 }, () => {
  it.each(loads)('$name', ({ text, pieceLength, parser }) => {
    const once = pieces(text(LENGTH), pieceLength);
    const fourfold = pieces(text(4 * LENGTH), pieceLength);
    // The shortest of a few runs: others share the machine.
    let ratio = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 5 && ratio >= 8; tries++) {
      const single = cpuTime(parser(), once);
      ratio = Math.min(ratio, cpuTime(parser(), fourfold) / Math.max(single, 1000));
    }
    expect(ratio).toBeLessThan(8);
  });
});

function pieces(text: string, length: number): readonly string[] {
  const result: string[] = [];
  for (let at = 0; at < text.length; at += length) result.push(text.slice(at, at + length));
  return result;
}

/** Microseconds. What is given is looked at, as a text that was put together is made only then. */
function cpuTime(parser: ReasoningParser, text: readonly string[]): number {
  let sum = 0;
  const look = (value: string) => {
    sum += value.charCodeAt(value.length - 1);
  };
  const sink: ReasoningSink = { reasoning: look, text: look };
  const before = process.cpuUsage();
  for (const piece of text) parser.push(piece, sink);
  parser.end(sink);
  const { user, system } = process.cpuUsage(before);
  expect(sum).toBeGreaterThanOrEqual(0);
  return user + system;
}
