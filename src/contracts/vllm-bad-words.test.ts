import { expect, it } from 'vitest';
import { ApiError } from '../errors.ts';
import { checkBadWords } from './vllm-bad-words.ts';

function errorOf(badWords: readonly string[] | undefined): unknown {
  try {
    checkBadWords(badWords ? { badWords } : {});
    return undefined;
  } catch (error) {
    return error;
  }
}

it.each([[['a', ' b', 'c\n', '\u200b', '😀']], [[]], [undefined]])('takes %j', (words) => {
  expect(errorOf(words)).toBeUndefined();
});

it.each(['', ' ', '\n', ' \t\r\n', '\u00a0', '\u3000', '\u001f', '\u0085'])('rejects white space: %j', (word) => {
  const error = errorOf(['word', word]);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    code: 'invalid_request',
    param: 'bad_words[1]',
    message:
      `bad_words[1]: ${JSON.stringify(word)} has only white space, which this backend cannot forbid. ` +
      'Use words with other characters, or stop.',
  });
});

it('rejects half of a character', () => {
  expect(errorOf(['a\ud800'])).toMatchObject({
    param: 'bad_words[0]',
    message: 'bad_words[0]: "a\\ud800" is not valid Unicode: half of a surrogate pair is missing.',
  });
});
