import { describe, expect, it } from 'vitest';
import { blocksOf, PrefixIndex } from './prefix-index.ts';

const one = { name: 'one' };
const two = { name: 'two' };
const both = [one, two];
const text = (seed: string, characters: number) => seed.repeat(characters).slice(0, characters);

describe('blocksOf', () => {
  it('is the same as far as the prompts are', () => {
    const a = blocksOf('m', `${text('abc', 256)}${text('x', 256)}`);
    const b = blocksOf('m', `${text('abc', 256)}${text('y', 256)}`);
    expect(a.map((block, at) => block === b[at])).toEqual([true, true, false, false]);
  });

  it('tells models apart, and leaves out what fills no block', () => {
    expect(blocksOf('m', text('a', 127))).toEqual([]);
    expect(blocksOf('m', text('a', 128))).toHaveLength(1);
    expect(blocksOf('m', text('a', 128))).not.toEqual(blocksOf('n', text('a', 128)));
    expect(blocksOf('m', text('a', 1_000_000))).toHaveLength(256);
  });

  it('reads tokens', () => {
    const ids = Int32Array.from({ length: 96 }, (_, at) => at * 1000);
    const other = ids.map((id, at) => (at === 70 ? id + 65_536 : id));
    const blocks = blocksOf('m', ids);
    expect(blocks.map((block, at) => block === blocksOf('m', other)[at])).toEqual([true, true, false]);
  });

  it('spreads what differs little', () => {
    const blocks = Array.from({ length: 20_000 }, (_, at) => blocksOf('m', text(`prompt ${at} `, 128))[0]);
    expect(new Set(blocks).size).toBeGreaterThan(19_990);
  });
});

describe('PrefixIndex', () => {
  it('knows who has seen the most of a prompt', () => {
    const index = new PrefixIndex<object>(100);
    const short = blocksOf('m', text('a', 256));
    const long = blocksOf('m', text('a', 512));
    index.remember(short, one);
    index.remember(long, two);
    expect(index.holdersOf(long, both)).toEqual([two]);
    expect(index.holdersOf(short, both)).toEqual([two, one]);
    expect(index.holdersOf(long, [one])).toEqual([one]);
    expect(index.holdersOf(blocksOf('m', text('b', 256)), both)).toEqual([]);
  });

  it('takes no notice of less than half of a prompt', () => {
    const index = new PrefixIndex<object>(100);
    index.remember(blocksOf('m', text('a', 128)), one);
    expect(index.holdersOf(blocksOf('m', text('a', 256)), both)).toEqual([one]);
    expect(index.holdersOf(blocksOf('m', text('a', 384)), both)).toEqual([]);
  });

  it('forgets the least recently used, the ends of prompts first', () => {
    const index = new PrefixIndex<object>(4);
    const old = blocksOf('m', text('a', 384));
    index.remember(old, one);
    index.remember(blocksOf('m', text('b', 384)), two);
    expect(index.size).toBe(4);
    expect(index.holdersOf(old.slice(0, 1), both)).toEqual([one]);
    expect(index.holdersOf(old.slice(1), both)).toEqual([]);
    for (let at = 0; at < 1000; at++) index.remember(blocksOf('m', text(`${at} `, 512)), one);
    expect(index.size).toBe(4);
  });

  it('remembers a few servers of a block, and none that is gone', () => {
    const index = new PrefixIndex<object>(100);
    const blocks = blocksOf('m', text('a', 128));
    const many = Array.from({ length: 6 }, (_, at) => ({ at }));
    for (const holder of many) index.remember(blocks, holder);
    expect(index.holdersOf(blocks, many)).toEqual([{ at: 5 }, { at: 4 }, { at: 3 }, { at: 2 }]);
    for (const holder of many.slice(1)) index.forget(holder);
    expect(index.size).toBe(0);
  });
});
