// Records docs/demo.svg: starts Conch with its default model, chats, has it call a tool, and shows the dashboard.
// The chat template of that model has no tools, so that the recorded start has another one.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from './lib/build.mjs';
import { capture, inRoot, main, StepError, say } from './lib/steps.mjs';
import { foldedLines, terminalSvg } from './lib/terminal-svg.mjs';

const PORT = 9392;
const MODEL = 'smollm2-135m-instruct';
const CONCH = inRoot('dist/main.js');
const PICTURE = 'docs/screenshots/dashboard-dark.png';
const MOST_START_SECONDS = 300;
const PROMPT = 'What is a conch?';
const TOOL_CALL = {
  model: MODEL,
  temperature: 0,
  messages: [{ role: 'user', content: 'What is the weather in Nassau?' }],
  tool_choice: 'required',
  tools: [
    {
      type: 'function',
      function: {
        name: 'weather',
        parameters: { type: 'object', properties: { city: { enum: ['Nassau', 'Key West'] } }, required: ['city'] },
      },
    },
  ],
};

main(async () => {
  await build();
  const { lines, stop } = await start();
  try {
    const chat = await capture(process.execPath, [CONCH, 'chat', MODEL, PROMPT, '--url', url(), ...settings()], {
      what: 'the chat',
    });
    const called = await fetch(`${url()}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(TOOL_CALL),
    });
    if (!called.ok) throw new StepError(`The tool call failed: ${await called.text()}`);
    /** @type {any} JSON of the server that was started above */
    const response = await called.json();
    const [choice] = response.choices;
    const calls = JSON.stringify(choice.message.tool_calls, undefined, 2);
    const scenes = [
      { command: 'npm start', output: foldedLines(lines.join('\n')) },
      { command: `npx conch chat ${MODEL} "${PROMPT}"`, output: foldedLines(chat) },
      {
        command: 'curl localhost:9000/v1/chat/completions -d @weather.json | jq .choices[0].message.tool_calls',
        output: foldedLines(calls),
      },
    ];
    writeFileSync(inRoot('docs/demo.svg'), terminalSvg(scenes, { picture: readFileSync(inRoot(PICTURE)), seconds: 5 }));
    say('docs/demo.svg is written.');
    return 0;
  } finally {
    stop();
  }
});

const url = () => `http://127.0.0.1:${PORT}`;
const settings = () => ['--set', 'temperature=0', '--set', 'max_tokens=60'];

/**
 * Starts Conch as `npm start` does, and waits until it serves its model.
 * @returns {Promise<{ lines: string[], stop: () => void }>}
 */
async function start() {
  const child = spawn(
    process.execPath,
    [CONCH, '--port', String(PORT), '--chat-template', `${MODEL}=${inRoot('test/tools/smollm2-tools.jinja')}`],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (printed += bytes));
  const deadline = performance.now() + MOST_START_SECONDS * 1000;
  while (!(await isReady())) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new StepError(`Conch did not start:\n${printed}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const lines = printed.replaceAll(String(PORT), '9000').trimEnd().split('\n');
  return { lines, stop: () => child.kill() };
}

async function isReady() {
  try {
    return (await fetch(`${url()}/health/ready`)).ok;
  } catch {
    return false;
  }
}
