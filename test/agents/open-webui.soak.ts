import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutChromium, patience, startChromium, visit } from '../page/browser.ts';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { pythonEnvironment } from '../support/python-environment.ts';
import { additionsTo } from './changes.ts';
import { startAgentGateway } from './gateway.ts';
import { type OpenWebui, startOpenWebui } from './open-webui.ts';
import { lastResponse, regenerate, say, startChat, untilCompleted } from './open-webui-chat.ts';
import { type Exchange, type Recorder, startRecorder } from './recorder.ts';
import { type RecordedRequest, Redaction } from './recording.ts';
import { chatScenario, heldMessage, heldPrompt, resumeScenario, type Scenario, written } from './scenarios.ts';
import { stateOf } from './tagged-request.ts';

// Open WebUI from PyPI, in Chromium. With CONCH_TEST_RECORD set, what it sends replaces its recording.

/** The model writes a note with a tool of Open WebUI. */
function noteScenario(title: string): Scenario {
  const message = 'The whelk is in the notes.';
  const call = written({ name: 'write_note', arguments: { title, content: 'Shell 7 is a whelk.' } });
  return { prompt: `Write shell 7 down. ${directive({ answers: [call, message] })}`, message };
}

describe.skipIf(isWithoutChromium)('Open WebUI', patience, () => {
  let conch: Conch;
  let recorder: Recorder;
  let browser: Browser;
  let openWebui: OpenWebui;
  let redaction: Redaction;
  const requests: RecordedRequest[] = [];
  beforeAll(async () => {
    const programs = await pythonEnvironment('open-webui', 'scripts/open-webui-requirements.txt');
    [conch, browser] = await Promise.all([startAgentGateway(), startChromium()]);
    recorder = await startRecorder(conch.url);
    openWebui = await startOpenWebui(programs, recorder.url);
    redaction = new Redaction({ home: openWebui.folder, folder: `${openWebui.folder}/data` });
  }, 1_200_000);
  afterAll(async () => {
    await Promise.all([browser.close(), openWebui.stop()]);
    await recorder.stop();
    await conch.stop();
  });

  /** Uses a chat with a model; nothing of it is recorded afterwards. */
  async function withChat(model: string, use: (page: Page) => Promise<void>): Promise<void> {
    recorder.take();
    await visit(browser, openWebui.url, async (page) => {
      await startChat(page, openWebui.url, model);
      await use(page);
    });
    recorder.take();
  }

  /** Sends a prompt, waits for the message and for so many completions, and records all requests. */
  async function play(page: Page, name: string, { prompt, message }: Scenario, completions: number): Promise<void> {
    const exchanges: Exchange[] = [];
    await say(page, prompt);
    await untilCompleted(page, message);
    // A new chat gets a title and tags, each message suggestions.
    await expect
      .poll(() => {
        exchanges.push(...recorder.take());
        return exchanges.filter(({ method }) => method === 'POST').length;
      })
      .toBe(completions);
    for (const exchange of exchanges) requests.push(redaction.request(name, exchange));
    expect(exchanges.filter(({ status }) => status !== 200)).toEqual([]);
  }

  /** The titles of the notes. */
  async function noteTitles(page: Page): Promise<string[]> {
    await page.goto(`${openWebui.url}/notes`);
    const titles = page.getByRole('main').getByRole('link');
    await titles.first().waitFor();
    return titles.allInnerTexts();
  }

  it('chats, calls a tool, and continues a chat after a reload', async () => {
    await withChat('agent', async (page) => {
      await play(page, 'chat', chatScenario(), 4);
      await startChat(page, openWebui.url, 'agent');
      await play(page, 'work', noteScenario('Shells'), 5);
      await page.reload();
      await untilCompleted(page, noteScenario('Shells').message);
      await play(page, 'resume', resumeScenario(), 2);
      expect(await noteTitles(page)).toEqual(['Shells']);
    });
  });

  it('chats with a model whose chat template does not support tools', async () => {
    await withChat('agent-plain', (page) => play(page, 'no tools', chatScenario(), 4));
    expect(await conch.logged(({ ignored }) => ignored !== undefined)).toMatchObject({ ignored: ['tools'] });
  });

  it('chats and calls a tool through the Ollama API', async () => {
    await withChat('ollama.agent:latest', async (page) => {
      await play(page, 'ollama', chatScenario(), 4);
      await play(page, 'ollama', noteScenario('More shells'), 3);
      expect((await noteTitles(page)).toSorted()).toEqual(['More shells', 'Shells']);
    });
  });

  it('sends what is recorded', () => {
    const { version } = openWebui;
    expect(additionsTo({ client: 'open-webui', version, requests })).toEqual({ recordedVersion: version, added: [] });
  });

  it('shows the text while it is generated, and stops the generation', async () => {
    const { prompt, message } = chatScenario();
    await withChat('agent', async (page) => {
      await say(page, prompt);
      await untilCompleted(page, message);
      await say(page, heldPrompt(heldMessage, 'open-webui'));
      await lastResponse(page).getByText('Once upon a time', { exact: true }).waitFor();
      expect(await stateOf(conch, 'open-webui')).toBe('held');
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await untilCompleted(page, 'Once upon a time');
    });
    await expect.poll(() => stateOf(conch, 'open-webui')).toBe('cancelled');
  });

  it('generates a message once more', async () => {
    const { prompt, message } = chatScenario();
    await withChat('agent', async (page) => {
      await say(page, prompt);
      await untilCompleted(page, message);
      await regenerate(page);
      await lastResponse(page).getByText('2/2', { exact: true }).waitFor();
      await untilCompleted(page, message);
      expect(await lastResponse(page).getByRole('paragraph').allInnerTexts()).toEqual([message]);
    });
  });

  it.each([
    [
      'the prompt is too long',
      'agent-small',
      /^This model's maximum context length is 512 tokens\. The prompt has \d+\. Shorten it\.$/,
    ],
    [
      'the prompt is too long for the Ollama API',
      'ollama.agent-small:latest',
      /^This model's maximum context length is 512 tokens\. /,
    ],
    ['the API key is wrong', 'locked.agent', /^Incorrect API key provided\. Check the key and try again\.$/],
  ])('shows that %s', async (_what, model, text) => {
    await withChat(model, async (page) => {
      await say(page, 'What is a conch?');
      expect(await lastResponse(page).getByText(text).innerText()).toMatch(text);
    });
  });
});
