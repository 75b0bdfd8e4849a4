import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { startAgentGateway } from './gateway.ts';
import { expanded, type RecordedRequest, readRecording, recordedClients } from './recording.ts';
import { replyOf } from './replies.ts';

// What each client sends, recorded by `npm run soak -- test/agents`.

let conch: Conch;
beforeAll(async () => {
  conch = await startAgentGateway();
});
afterAll(() => conch.stop());

async function replay({ method, path, headers, body }: Pick<RecordedRequest, 'method' | 'path' | 'headers' | 'body'>) {
  const response = await fetch(`${conch.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(expanded(body)) }),
  });
  const contentType = response.headers.get('content-type') ?? '';
  return { status: response.status, headers: response.headers, contentType, text: await response.text() };
}

/** The names of the fields that Conch ignores, without positions. */
const ignored: Readonly<Record<string, readonly string[]>> = {
  // The tool is OpenAI's own search.
  codex: ['reasoning.summary', 'tools[]'],
  // The text is the line with Claude Code's billing header.
  'claude-code': ['context_management', 'output_config.effort', 'system[]'],
  opencode: [],
  // A resumed session repeats its results.
  'gemini-cli': ['contents[].parts[].functionResponse'],
  'qwen-code': [],
  continue: [],
  'open-webui': ['tools'],
};

/** How each API reports a prompt that is too long, in the way that its clients recognize. */
const overflow = [
  {
    route: /\/responses$/,
    status: 200,
    text: /event: response\.failed\ndata: .*"code":"context_length_exceeded"/,
  },
  { route: /\/messages\?/, status: 400, text: /"message":"prompt is too long: \d+ tokens > 512 maximum/ },
  { route: /:streamGenerateContent/, status: 400, text: /"reason":\s*"CONTEXT_LENGTH_EXCEEDED"/ },
  { route: /\/chat\/completions$/, status: 400, text: /"code":"context_length_exceeded"/ },
  { route: /\/api\/chat$/, status: 400, text: /^\{"error":"This model's maximum context length is 512 tokens\./ },
];

/** The request with the longest body: that of a conversation, not of a title. */
function longestOf(requests: readonly RecordedRequest[]): RecordedRequest {
  const length = ({ body }: RecordedRequest): number => JSON.stringify(expanded(body) ?? '').length;
  return requests.reduce((longest, request) => (length(request) > length(longest) ? request : longest));
}

describe.each(recordedClients())('%s', (name) => {
  const { requests } = readRecording(name);

  it('gets the reply of the model to each request', async () => {
    const names = new Set<string>();
    for (const [position, request] of requests.entries()) {
      const { status, headers, contentType, text } = await replay(request);
      const label = `${position}: ${request.scenario}, ${request.method} ${request.path}`;
      expect({ label, status, error: status === 200 ? '' : text }).toEqual({ label, status: 200, error: '' });
      expect({ label, reply: replyOf(request.path, contentType, text) }).toEqual({ label, reply: request.reply });
      for (const field of headers.get('x-conch-ignored')?.split(', ') ?? [])
        names.add(field.replaceAll(/\[\d+\]|\.\d+(?=\.|$)/g, '[]'));
    }
    expect([...names].toSorted()).toEqual(ignored[name]);
  });

  it('learns that its prompt is too long', async () => {
    const rows = overflow.flatMap(({ route, ...expected }) => {
      const matching = requests.filter(({ path, reply }) => reply !== undefined && route.test(path));
      return matching.length === 0 ? [] : [{ ...expected, ...longestOf(matching) }];
    });
    expect(rows).not.toEqual([]);
    for (const { path, body, status: expectedStatus, text: expectedText, ...request } of rows) {
      const { status, text } = await replay({
        ...request,
        path: path.replace('/agent:', '/agent-small:'),
        body: { ...(body as object), model: 'agent-small' },
      });
      expect({ path, status, text }).toEqual({
        path,
        status: expectedStatus,
        text: expect.stringMatching(expectedText),
      });
    }
  });
});
