import { describe, expect, it } from 'vitest';
import { cutTokens } from './cut-tokens.ts';

function added(content: string, flags: object = {}) {
  return { content, special: true, normalized: false, lstrip: false, rstrip: false, single_word: false, ...flags };
}

const end = added('<|end|>');
const template = (...single: string[]) => ({
  type: 'TemplateProcessing',
  single: single.map((name) => ({ [name]: { id: 'x', type_id: 0 } })),
});

describe('cutTokens', () => {
  it('returns special tokens that are themselves wherever they are', () => {
    const tokens = [end, added('<s>', { lstrip: true }), added('<think>', { special: false }), end, added('')];
    expect(cutTokens({ added_tokens: tokens, model: { dropout: null } })).toEqual(['<|end|>', '<s>']);
    expect(cutTokens({})).toEqual([]);
  });

  it('leaves out tokens that look beyond themselves, and those that no template writes', () => {
    const fillers = ['<unk>', '<pad>', '[PAD]', '<unused7>', '<|reserved_special_token_1|>', '<SPECIAL_12>'];
    const tokens = [added('<mask>', { rstrip: true }), ...fillers.map((content) => added(content)), end];
    expect(cutTokens({ added_tokens: tokens })).toEqual(['<|end|>']);
  });

  it.each([
    ['an end that begins another', ['<a>', '><b'], []],
    ['a beginning that ends another', ['<|', 'x<'], []],
    ['one within another', ['[/INST]', 'INST'], []],
    ['one at the beginning of another', ['</s>', '</s>x', 'y'], ['y']],
    ['one that overlaps itself', ['==', '<|end|>'], ['<|end|>']],
    ['nothing in common', ['<s>', '</s>', '[INST]', '[/INST]'], ['<s>', '</s>', '[INST]', '[/INST]']],
  ])('leaves out tokens that cannot be distinguished: %s', (_, contents, expected) => {
    expect(cutTokens({ added_tokens: contents.map((content) => added(content)) })).toEqual(expected);
  });

  it('counts tokens that are not special among those that overlap', () => {
    expect(cutTokens({ added_tokens: [end, added('>\n', { special: false })] })).toEqual([]);
  });

  it('takes tokens of the normalized text only where nothing normalizes', () => {
    const tokens = [end, added('<|x|>', { normalized: true })];
    const nothing = { type: 'Sequence', normalizers: [{ type: 'Sequence', normalizers: [] }] };
    expect(cutTokens({ added_tokens: tokens, normalizer: null })).toEqual(['<|end|>', '<|x|>']);
    expect(cutTokens({ added_tokens: tokens, normalizer: nothing })).toEqual(['<|end|>', '<|x|>']);
    expect(cutTokens({ added_tokens: tokens, normalizer: { type: 'NFC' } })).toEqual(['<|end|>']);
  });

  it('gives none where tokens depend on chance or on their neighbours', () => {
    expect(cutTokens({ added_tokens: [end], model: { dropout: 0.1 } })).toEqual([]);
    expect(cutTokens({ added_tokens: [end, added('word', { single_word: true })] })).toEqual([]);
  });

  it.each([
    ['nothing', null, true],
    ['tokens around the text', template('SpecialToken', 'Sequence', 'SpecialToken'), true],
    ['the text twice', template('Sequence', 'Sequence'), false],
    ['no text', template('SpecialToken'), false],
    ['offsets', { type: 'ByteLevel' }, true],
    ['BERT', { type: 'BertProcessing' }, true],
    ['RoBERTa', { type: 'RobertaProcessing' }, true],
    ['several', { type: 'Sequence', processors: [{ type: 'ByteLevel' }, template('Sequence')] }, true],
    ['several, one unknown', { type: 'Sequence', processors: [{ type: 'ByteLevel' }, { type: 'New' }] }, false],
  ])('asks what the post-processor does: %s', (_, post_processor, isFrame) => {
    expect(cutTokens({ added_tokens: [end], post_processor })).toEqual(isFrame ? ['<|end|>'] : []);
  });
});
