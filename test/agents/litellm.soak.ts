import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { runProgram } from '../support/program.ts';
import { pythonEnvironment } from '../support/python-environment.ts';
import { key, startAgentGateway } from './gateway.ts';
import { chatScenario, written } from './scenarios.ts';

// LiteLLM from PyPI, in the environment of aider, through each of its routes.

let conch: Conch;
let programs: string;
beforeAll(async () => {
  programs = await pythonEnvironment('aider', 'scripts/aider-requirements.txt');
  conch = await startAgentGateway();
}, 1_200_000);
afterAll(() => conch.stop());

const { prompt: chat, message } = chatScenario();
const call = { name: 'lookup', arguments: { number: 7 } };
const found = 'Shell 7 is a whelk.';
const long = 'What is a conch? '.repeat(400);

interface Route {
  readonly name: string;
  readonly path: string;
  /** What the model writes for the call and after its result. */
  readonly replies: readonly string[];
  /** The text that LiteLLM returns after the result. */
  readonly text: string | null;
  /** Whether LiteLLM finds calls in a stream. */
  readonly isCallStreamed: boolean;
  /** The exceptions for a prompt that is too long and for a wrong API key. */
  readonly errors: readonly [string, string];
}

const native = { replies: [written(call), found], text: found, isCallStreamed: true };
const openaiErrors = ['ContextWindowExceededError', 'AuthenticationError'] as const;
// LiteLLM has no other exception for errors of Ollama.
const ollamaErrors = ['APIConnectionError', 'APIConnectionError'] as const;

const routes: readonly Route[] = [
  { name: 'openai', path: '/v1', ...native, errors: openaiErrors },
  { name: 'anthropic', path: '', ...native, errors: openaiErrors },
  { name: 'ollama_chat', path: '', ...native, errors: ollamaErrors },
  // LiteLLM writes tools, calls and results into one prompt, and reads each whole reply to it as a call.
  {
    name: 'ollama',
    path: '',
    replies: [JSON.stringify(call)],
    text: null,
    isCallStreamed: false,
    errors: ollamaErrors,
  },
];

describe('LiteLLM', () => {
  it.each(routes)('completes, streams, calls tools and reports errors through its route $name', async (route) => {
    const connection = { model: `${route.name}/agent`, api_base: `${conch.url}${route.path}`, api_key: key };
    const work = `What is shell 7? ${directive({ answers: route.replies })}`;
    const task = { connection, small_model: `${route.name}/agent-small`, prompts: { chat, work, long } };
    const { code, stdout, stderr } = await runProgram(
      join(programs, 'python'),
      [inRoot('test/agents/litellm_client.py'), JSON.stringify(task)],
      { environment: { PYTHONDONTWRITEBYTECODE: '1', LITELLM_LOCAL_MODEL_COST_MAP: 'true' } },
    );
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const calls = [[call.name, call.arguments]];
    const { text } = route;
    const [overflow, wrongKey] = route.errors;
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
      completion: message,
      is_usage_reported: true,
      stream: { text: message, is_streamed: true },
      tools: { calls, text },
      streamed_tools: { calls: route.isCallStreamed ? calls : [], text },
      overflow,
      wrong_key: wrongKey,
    });
  });
});
