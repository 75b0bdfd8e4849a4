import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { textAt } from './completion-text.mjs';
import { checkRunning, instructions, streamProblem, untilStreaming } from './running-gateway.mjs';

/** @type {import('node:http').Server[]} */
const servers = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/**
 * A gateway that responds to every request with these, the last one again and again.
 * @param {{ status?: number, body: string }[]} responses
 */
async function gatewayWith(...responses) {
  const server = createServer((_, response) => {
    const { status = 200, body } = (responses.length > 1 ? responses.shift() : responses[0]) ?? { body: '' };
    response.writeHead(status).end(body);
  });
  servers.push(server);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { name: 'other', url: `http://127.0.0.1:${port}`, pid: 12 };
}

/** @param {string[]} pieces */
const streamOf = (...pieces) =>
  `${pieces.map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`).join('')}data: [DONE]\n\n`;
const good = streamOf('', textAt(0, 4), textAt(4, 60));

/** @type {string[]} */
const said = [];
const say = (/** @type {string} */ line) => void said.push(line);

it('a stream has the text of the token server, however it is cut', () => {
  expect(streamProblem(good)).toBeUndefined();
  expect(streamProblem(good.replaceAll('\n', '\r\n'))).toBeUndefined();
  expect(streamProblem('{"choices":[]}')).toMatch(/^it streamed no token\. It sent: /);
  expect(streamProblem(streamOf('Hello'))).toMatch(/^it streamed "Hello" where the token server sends " 000/);
});

describe('a gateway', () => {
  it('is waited for until it streams', async () => {
    const gateway = await gatewayWith({ status: 503, body: 'loading' }, { body: good });
    await untilStreaming(gateway, { say });
    expect(said.splice(0)).toEqual([
      `Waiting for other (${gateway.url}): it responded to POST /v1/chat/completions with HTTP 503: loading`,
    ]);
  });

  it.each([
    [{ status: 404, body: 'no model' }, 'it responded to POST /v1/chat/completions with HTTP 404: no model'],
    [{ body: '{}' }, 'it streamed no token. It sent: "{}"'],
  ])('that does not is an error: %j', async (response, problem) => {
    const gateway = await gatewayWith(response);
    await expect(untilStreaming(gateway, { say, milliseconds: 0 })).rejects.toThrow(
      `--against ${gateway.url}: ${problem}`,
    );
  });

  it('that cannot be reached is an error', async () => {
    const gateway = { name: 'other', url: 'http://127.0.0.1:1', pid: 12 };
    const message = '--against http://127.0.0.1:1: it cannot be reached: ';
    await expect(untilStreaming(gateway, { say, milliseconds: 0 })).rejects.toThrow(message);
  });
});

describe('its process', () => {
  /** @param {(number | undefined)[]} used CPU time at each look */
  const processOf = (...used) => ({
    usageOf: () => {
      const cpuMicroseconds = used.length > 1 ? used.shift() : used[0];
      return cpuMicroseconds === undefined ? undefined : { cpuMicroseconds };
    },
    processTree: (/** @type {number} */ pid) => [pid],
  });

  it('is taken where it works while the gateway responds', async () => {
    await expect(checkRunning(await gatewayWith({ body: good }), processOf(0, 0, 9000), say)).resolves.toBeUndefined();
  });

  it('is refused where there is none, or none any more', async () => {
    const gateway = await gatewayWith({ body: good });
    await expect(checkRunning(gateway, processOf(undefined), say)).rejects.toThrow('there is no process 12.');
    await expect(checkRunning(gateway, processOf(0, 0, undefined), say)).rejects.toThrow('process 12 has ended.');
  });

  it('is refused where it has nothing to do with the gateway', async () => {
    const gateway = { ...(await gatewayWith({ body: good })), pid: process.pid };
    await expect(checkRunning({ ...gateway, pid: 1 }, processOf(5, 5, 5), say)).rejects.toThrow(
      /process 1 \(.+\) used 0 µs of CPU time for 50 requests, so it is not the gateway's\.$/,
    );
    await expect(checkRunning(gateway, processOf(0), say)).rejects.toThrow('has started this benchmark');
  });
});

it('says how to start it', () => {
  expect(instructions(8001, 'vllm')).toContain('npm run bench -- --against NAME=http://127.0.0.1:YOUR_PORT YOUR_PID\n');
  expect(instructions(9001, 'ensemble')).toContain('YOUR_PORT YOUR_PID --upstream 9001 --contract ensemble\n');
});
