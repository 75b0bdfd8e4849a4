/** What the token server answers to a request for a function call: a call as Hermes writes it, as long as is asked for. */

/** Stands in the prompts that are answered with a call. */
export const CALL_PROMPT = 'Write all that you know of shells into the file. [a call, please]';

export const CALL_TOOL = {
  type: 'function',
  function: {
    name: 'write_file',
    description: 'Writes a text into the file.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
};

const TOKEN_LETTERS = 4;
const OPENING = '<tool_call>\n{"name": "write_file", "arguments": ';
const CLOSING = '}\n</tool_call>\n';
const VALUE_OPENING = '{"text": "';
const VALUE_CLOSING = '"}';

/** @param {string} text made longer by spaces at its end, to whole tokens */
const whole = (text) => text.padEnd(Math.ceil(text.length / TOKEN_LETTERS) * TOKEN_LETTERS);

/** Tokens of a call around what its text argument holds. */
const FRAME_TOKENS = (whole(OPENING).length + whole(VALUE_OPENING + VALUE_CLOSING).length + whole(CLOSING).length) / 4;

/**
 * What is made for a number of tokens, made once.
 * @template Made
 * @param {(tokens: number) => Made} make
 * @returns {(tokens: number) => Made}
 */
function once(make) {
  /** @type {Map<number, Made>} */
  const known = new Map();
  return (tokens) => {
    const made = known.get(tokens) ?? make(tokens);
    known.set(tokens, made);
    return made;
  };
}

/** The arguments of a call of so many tokens. */
export const callArguments = once((tokens) => {
  const inner = Math.max(0, tokens - FRAME_TOKENS);
  const text = Array.from({ length: inner }, (_, index) => ` ${index.toString(36).padStart(3, '0')}`).join('');
  return `${VALUE_OPENING}${text}${VALUE_CLOSING}`;
});

/** The bytes of a call of so many tokens. */
export const callBytes = once((tokens) => Buffer.from(whole(OPENING) + whole(callArguments(tokens)) + whole(CLOSING)));
