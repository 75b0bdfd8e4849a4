import { beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import { loadPromptAssets } from '../../src/prompt/assets.ts';
import type { ChatTemplate } from '../../src/prompt/chat-template.ts';
import { strftime } from '../../src/prompt/jinja/strftime.ts';
import { type TokenizerName, tokenizerFolder } from '../support/environment.ts';
import { type Conversation, conversations } from './conversations.ts';
import { askPython, type PythonResponse } from './python.ts';

const families: TokenizerName[] = ['llama3', 'llama3_2', 'qwen3', 'gemma3', 'mistral_nemo', 'deepseek_v3'];
const hub = { endpoint: 'http://127.0.0.1:1', cacheFolder: '/nowhere', offline: true };

const jobs = families.flatMap((family) =>
  conversations.map((conversation) => ({ ...conversation, family, folder: tokenizerFolder(family) })),
);
let theirs: PythonResponse[];

async function ours(template: ChatTemplate, conversation: Conversation): Promise<PythonResponse> {
  try {
    const text = await template.render({
      messages: conversation.messages,
      tools: conversation.tools,
      addGenerationPrompt: conversation.add_generation_prompt ?? false,
      continueFinalMessage: conversation.continue_final_message ?? false,
      variables: conversation.variables ?? {},
    });
    return { text };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_request' && error.param === 'messages') {
      return { error: error.message };
    }
    throw error;
  }
}

// Templates' own words must be the same; what Python says of its types is said in ours.
function comparable(response: PythonResponse): PythonResponse {
  const own = /roles must alternate|single tool-calls|Invalid content|length 9|first user message|roles are supported/;
  return response.error === undefined || own.test(response.error) ? response : { error: '(refused)' };
}

describe('chat templates', () => {
  beforeAll(async () => {
    theirs = await askPython(jobs);
  }, 120_000);

  it.each(families)('render as transformers renders them: %s', async (family) => {
    const { template } = await loadPromptAssets({ tokenizer: tokenizerFolder(family), hub });
    if (template === undefined) throw new Error(`${family} has no template`);
    const expected: Record<string, PythonResponse> = {};
    const actual: Record<string, PythonResponse> = {};
    for (const [index, job] of jobs.entries()) {
      if (job.family !== family) continue;
      expected[job.name] = comparable(theirs[index] ?? {});
      actual[job.name] = comparable(await ours(template, job));
    }
    expect(actual).toEqual(expected);
    expect(Object.values(expected).filter(({ text }) => text !== undefined).length).toBeGreaterThan(15);
  });

  it('writes dates as Python does', async () => {
    const formats = '%d %b %Y|%A %B %-d|%Y-%m-%d|%j %U %W %w %u|%y %a %e %D %F'.split('|');
    const before = new Date();
    const python = await askPython(formats.map((format) => ({ snippet: `{{ strftime_now('${format}') }}` })));
    const ours = [before, new Date()].map((date) => formats.map((format) => strftime(date, format)));
    expect(ours).toContainEqual(python.map(({ text }) => text));
  });
});
