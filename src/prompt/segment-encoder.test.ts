import { describe, expect, it } from 'vitest';
import { SegmentEncoder } from './segment-encoder.ts';
import { SegmentStore } from './segment-store.ts';

const cuts = new Map([
  ['<e>', 1],
  ['[s]', 2],
]);

/** One id for each character and for each cut; a text that begins a prompt has one more in front. */
function idsOf(text: string, before = 0): number[] {
  const parts = text.split(/(<e>|\[s\])/);
  return [...(before === 0 ? [7] : []), ...parts.flatMap((part) => cuts.get(part) ?? Array.from(part, codeOf))];
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

/** An encoder, and the texts that it had to tokenize. */
function encoder(encode = async (text: string) => idsOf(text, /^(<e>|\[s\])/.test(text) ? 1 : 0)) {
  const requested: string[] = [];
  const store = new SegmentStore();
  store.limit = 2 ** 20;
  const segments = new SegmentEncoder({
    cuts,
    store,
    encode: (text) => {
      requested.push(text);
      return encode(text);
    },
  });
  const ids = async (text: string) => {
    const found = await segments.encode(text);
    return found && { ids: found.parts.flatMap((part) => [...part]), length: found.length, reused: found.reused };
  };
  return { ids, requested, store };
}

const long = 'x'.repeat(1024);

describe('SegmentEncoder', () => {
  it('encodes only what is new, behind the token before it', async () => {
    const { ids, requested } = encoder();
    expect(await ids('hi<e>you')).toEqual({ ids: idsOf('hi<e>you'), length: 7, reused: 0 });
    expect(await ids('hi<e>your<e>[s]')).toEqual({ ids: idsOf('hi<e>your<e>[s]'), length: 10, reused: 4 });
    expect(await ids('hi<e>your<e>[s]me')).toEqual({ ids: idsOf('hi<e>your<e>[s]me'), length: 12, reused: 10 });
    expect(await ids('hi<e>your<e>[s]')).toEqual({ ids: idsOf('hi<e>your<e>[s]'), length: 10, reused: 10 });
    expect(requested).toEqual(['hi<e>you', '<e>your<e>[s]', '[s]me']);
  });

  it('tells the beginning of a text from its inside', async () => {
    const { ids, requested } = encoder();
    await ids('a<e>b<e>');
    expect(await ids('b<e>a<e>c')).toMatchObject({ ids: idsOf('b<e>a<e>c'), reused: 0 });
    expect(requested).toEqual(['a<e>b<e>', 'b<e>a<e>c']);
  });

  it('encodes what is new on both sides of a long part apart, and of a short part together', async () => {
    const { ids, requested } = encoder();
    await ids(`a<e>${long}<e>short<e>`);
    requested.length = 0;
    const changed = `a<e>b<e>${long}<e>c<e>short<e>d`;
    expect(await ids(changed)).toMatchObject({ ids: idsOf(changed), reused: 3 + 1025 });
    expect(requested).toEqual(['<e>b<e>', '<e>c<e>short<e>d']);
  });

  it('leaves texts without cuts, and those with too many, to others', async () => {
    const { ids, requested } = encoder();
    expect([await ids(''), await ids('plain <e'), await ids('<e>'.repeat(16_385))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(requested).toEqual([]);
    expect((await ids('<e>'.repeat(16_384)))?.length).toBe(16_385 - 1);
  });

  it.each([
    ['a cut comes from another text', (text: string) => [...idsOf(text), 1]],
    ['a cut is lost', (text: string) => idsOf(text).filter((id) => id !== 1)],
    ['the token before is another', (text: string) => [99, ...idsOf(text, 1).slice(1)]],
    ['the cuts are others', (text: string) => idsOf(text, 1).map((id) => (id === 1 ? 2 : id))],
  ])('gives nothing and stores nothing where %s', async (_, wrong) => {
    let isWrong = false;
    const { ids, store } = encoder(async (text) =>
      isWrong ? wrong(text) : idsOf(text, text.startsWith('<e>') ? 1 : 0),
    );
    await ids('a<e>');
    const { bytes } = store;
    isWrong = true;
    expect([await ids('a<e>b<e>c'), store.bytes]).toEqual([undefined, bytes]);
  });

  it('gives each of many texts at once its own ids', async () => {
    const { ids } = encoder(async (text) => {
      await new Promise((resolve) => setImmediate(resolve));
      return idsOf(text, text.startsWith('<e>') ? 1 : 0);
    });
    const texts = Array.from({ length: 50 }, (_, index) => `a<e>${'b<e>'.repeat(index % 7)}${index}<e>${index}`);
    const found = await Promise.all(texts.map(ids));
    expect(found.map((one) => one?.ids)).toEqual(texts.map((text) => idsOf(text)));
  });

  it('gives the same ids while texts are dropped from a small store', async () => {
    const { ids, store } = encoder();
    store.limit = 3000;
    let text = '';
    for (let turn = 0; turn < 100; turn++) {
      text += `turn ${turn % 9}<e>`;
      expect((await ids(text))?.ids).toEqual(idsOf(text));
      expect(store.bytes).toBeLessThanOrEqual(3000);
    }
  });
});
