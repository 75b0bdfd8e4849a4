import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { isWindows } from '../../test/support/system-program.ts';
import { type Language, snippet } from './snippets.ts';

const request = {
  model: 'm',
  messages: [{ role: 'user', content: 'It\'s "so" \\ $HOME `x`\n' }],
  top_k: 3,
  stream: true,
  tools: [],
  logprobs: null,
};
const open = { base: 'http://localhost:9000/v1', hasKey: false };
const locked = { base: 'http://localhost:9000/v1', hasKey: true };

describe('a snippet', () => {
  it.skipIf(isWindows)('of curl sends the exact request, whatever it contains', () => {
    const text = snippet('curl', request, open);
    // The shell itself takes the words apart.
    const words = execFileSync('sh', ['-c', text.replace(/^curl/, "printf '%s\\0'")], { encoding: 'utf8' }).split('\0');
    expect(words).toEqual([
      '-N',
      'http://localhost:9000/v1/chat/completions',
      '-H',
      'content-type: application/json',
      '-d',
      expect.any(String),
      '',
    ]);
    expect(JSON.parse(words[5] ?? '')).toEqual(request);
  });

  it('of Python takes what the package does not name beside the rest', () => {
    expect(snippet('Python', request, locked)).toBe(`import os

from openai import OpenAI

client = OpenAI(base_url="http://localhost:9000/v1", api_key=os.environ["CONCH_API_KEY"])
stream = client.chat.completions.create(
    model="m",
    messages=[
        {
            "role": "user",
            "content": "It's \\"so\\" \\\\ $HOME \`x\`\\n",
        },
    ],
    stream=True,
    tools=[],
    logprobs=None,
    extra_body={
        "top_k": 3,
    },
)
for chunk in stream:
    if chunk.choices and chunk.choices[0].delta.content:
        print(chunk.choices[0].delta.content, end="", flush=True)
`);
  });

  it('of TypeScript has the request as it is', () => {
    const text = snippet('TypeScript', request, open);
    const [, body = ''] = /const request = (\{.*?\n\});/s.exec(text) ?? [];
    expect(JSON.parse(body)).toEqual(request);
    expect(text).toContain(`baseURL: "http://localhost:9000/v1",\n  apiKey: 'none',`);
  });

  it.each<Language>(['curl', 'Python', 'TypeScript'])(
    'of %s names the variable of the key, where there is one',
    (language) => {
      expect(snippet(language, request, open)).not.toContain('CONCH_API_KEY');
      expect(snippet(language, request, locked)).toContain('CONCH_API_KEY');
    },
  );
});
