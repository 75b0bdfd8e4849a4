import { describe, expect, it } from 'vitest';
import { StatusError } from '../kserve/status.ts';
import { guideRefusal } from './guide-refusal.ts';
import { explainVllm } from './vllm-errors.ts';

/** What llguidance says of an expression with a look-ahead. */
const lookAhead = [
  'at 1(8): invalid regex "(?=a)b" (in regex): regex parse error:',
  '    (?=a)b',
  '    ^^^',
  'error: look-around, including look-ahead and look-behind, is not supported',
  '   1 | start: /(?=a)b/',
  '              ^',
  '',
].join('\n');

const schemaFeatures = 'The provided JSON schema contains features not supported by xgrammar.';

describe('the error text of a guide', () => {
  it.each([
    [`Grammar error: ${lookAhead}`, 'look-around, including look-ahead and look-behind, is not supported.'],
    [
      'Grammar error: at 1(8): invalid regex "\\\\b" (in regex): lookarounds not supported yet; WordUnicode\n   1 | start',
      'invalid regex "\\\\b" (in regex): lookarounds not supported yet; WordUnicode.',
    ],
    ['Grammar error: Unimplemented keys: ["uniqueItems"]', 'Unimplemented keys: ["uniqueItems"].'],
    ["Failed to convert the grammar from GBNF to Lark: No 'root' rule found", "No 'root' rule found."],
    [
      'Failed to transform regex into a grammar: [05:40:09] /project/cpp/regex_converter.cc:75: Regex parsing error at position 3: Lookahead is not supported yet.\n',
      'Regex parsing error at position 3: Lookahead is not supported yet.',
    ],
    ['Failed to transform json schema into a grammar: $ref is broken', '$ref is broken.'],
    ['Failed to transform choices into a grammar: bad', 'bad.'],
    [schemaFeatures, schemaFeatures],
    ['Invalid grammar specification.', 'Invalid grammar specification.'],
    ['Invalid grammar specification: No rule', 'No rule.'],
    ['vllm.exceptions.VLLMValidationError: Grammar error: no', 'no.'],
    ['[request id: a-1] Error generating stream: Grammar error: no', 'no.'],
  ])('becomes the reason that it has: %j', (text, reason) => {
    const { code, param, message } = explainVllm(new StatusError('UNKNOWN', `Error generating stream: ${text}`)) ?? {};
    expect([code, param, message]).toEqual(['invalid_request', 'guide', `guide: the backend refused it: ${reason}`]);
  });

  it.each([
    'Grammar error:',
    'Grammar error: \n  File "/opt/vllm/engine.py", line 3, in compile\n',
    'Grammar error: Traceback (most recent call last):\n/usr/lib/python3/x.so: no\n0x7f0123456789 at 10.0.0.1',
  ])('shows nothing of the server: %j', (text) => {
    expect(guideRefusal(text)?.message).toBe('guide: the backend refused it.');
  });

  it('is cut where it is long', () => {
    expect(guideRefusal(`Grammar error: ${'x'.repeat(5000)}`)?.message).toBe(
      `guide: the backend refused it: ${'x'.repeat(300)}…`,
    );
  });

  it('is what it begins with, whatever the guide has in it', () => {
    const quoted = 'Grammar error: no rule "EngineCore encountered an issue"';
    expect(explainVllm(new StatusError('UNKNOWN', quoted))?.status).toBe(400);
    const failed = 'EngineCore encountered an issue. See stack trace (above): Grammar error: x';
    expect(explainVllm(new StatusError('UNKNOWN', failed))?.status).toBe(503);
  });

  it('may follow unknown words', () => {
    const { status, message } =
      explainVllm(new StatusError('UNKNOWN', 'While adding a request: Grammar error: no')) ?? {};
    expect([status, message]).toEqual([400, 'guide: the backend refused it: no.']);
  });

  it('is none of another failure', () => {
    for (const text of ['the grammar of this sentence', 'Failed to transform the image', 'CUDA out of memory'])
      expect([guideRefusal(text), guideRefusal(text, { isAnywhere: true })]).toEqual([undefined, undefined]);
  });
});
