import { expect, it } from 'vitest';
import { readModelConfig } from './model-config.ts';
import { TextFormatError } from './text-format-error.ts';

const seedText = `name: "m" # note
backend: 'python'
max_batch_size: 0x10
input [ { name: "a" data_type: TYPE_FP32 dims: [ -1, 3 ] reshape: { shape: [ ] } }, { name: "b" optional: true } ]
output < name: "c" "d"; dims: 1, >
version_policy: { specific { versions: [ 1, 2 ] } }
parameters: { key: "k", value: { string_value: "\\x41\\u00e9\\n" } }
sequence_batching { control_input [ { name: "s" control [ { fp32_false_true: [ 0.5f, -1e3 ] } ] } ] }
`;

const pieces = [
  '{',
  '}',
  '[',
  ']',
  '<',
  '>',
  ':',
  ',',
  ';',
  '"',
  "'",
  '\\',
  '#',
  '\n',
  '-',
  '${x}',
  '\0',
  'é',
  '0x',
  '1e',
  '\ud800',
  '.',
  'input',
  '"\\u',
];

/** The same numbers in every run. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

it('returns a message or an error with a position inside the text for any mutation', () => {
  const roll = dice(7);
  let refused = 0;
  for (let round = 0; round < 6_000; round++) {
    let text = seedText;
    for (let changes = roll(4) + 1; changes > 0; changes--) {
      const at = roll(text.length);
      const piece = roll(3) === 0 ? '' : (pieces[roll(pieces.length)] ?? '');
      text = text.slice(0, at) + piece + text.slice(at + roll(roll(2) * 12 + 1));
    }
    const found = verdict(text);
    expect(found).not.toBe('misplaced');
    if (found === 'refused') refused++;
  }
  expect(refused).toBeGreaterThan(3_000);
});

it('handles every prefix of a text', () => {
  for (let end = 0; end <= seedText.length; end++)
    expect(['read', 'refused']).toContain(verdict(seedText.slice(0, end)));
});

function verdict(text: string): 'read' | 'refused' | 'misplaced' {
  try {
    readModelConfig(text, 'f');
    return 'read';
  } catch (error) {
    if (!(error instanceof TextFormatError)) throw error;
    const { line, column } = error.position;
    const width = text.split('\n')[line - 1]?.length ?? -1;
    return column >= 1 && column <= width + 1 ? 'refused' : 'misplaced';
  }
}
