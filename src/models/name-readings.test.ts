import { expect, it } from 'vitest';
import { readingsOf } from './name-readings.ts';

const options = { loraSeparator: '_lora_', aliases: new Map([['chat', 'llama']]) };

it('reads a name as a model, then as models with adapters, the shortest name first', () => {
  expect(readingsOf('chat_lora_a_lora_b', options)).toEqual([
    { base: 'chat_lora_a_lora_b', root: 'chat_lora_a_lora_b', adapter: undefined },
    { base: 'chat', root: 'llama', adapter: 'a_lora_b' },
    { base: 'chat_lora_a', root: 'chat_lora_a', adapter: 'b' },
  ]);
});

it.each(['_lora_a', 'llama_lora_', 'chat'])('reads no adapter where nothing is before or behind: %s', (name) => {
  expect(readingsOf(name, options).map(({ adapter }) => adapter)).toEqual([undefined]);
});
