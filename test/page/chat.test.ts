import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { startGateway } from '../support/gateway.ts';
import {
  choose,
  isWithoutChromium,
  messageBox,
  modelBox,
  patience,
  responds,
  say,
  startChromium,
  untilCompleted,
  untilListed,
  violations,
  visit,
} from './browser.ts';

const model = 'vllm-toy';
const slow = directive({ tokens: 200, delay_ms: 100 });

describe.skipIf(isWithoutChromium)('the playground', patience, () => {
  let conch: Conch;
  let browser: Browser;
  beforeAll(async () => {
    [conch, browser] = await Promise.all([startGateway(), startChromium()]);
  });
  afterAll(() => Promise.all([conch.stop(), browser.close()]));

  /** Visits it with the toy chosen. */
  const play = (body: (page: Page) => Promise<void>): Promise<void> =>
    visit(browser, conch.url, async (page) => {
      await choose(page, model);
      await body(page);
    });

  it('shows Markdown, and copies code', async () => {
    const response = 'A *word*, <b>bold</b>:\n\n```python\nprint("hi")\n```\n\n[out](https://example.com)';
    await play(async (page) => {
      await say(page, directive({ answer: response }));
      await untilCompleted(page);
      const displayed = responds(page).first();
      expect(await displayed.locator('em').innerText()).toBe('word');
      expect(await displayed.locator('b').count()).toBe(0);
      expect(await displayed.locator('pre').innerText()).toBe('print("hi")');
      expect(await displayed.getByRole('link', { name: 'out' }).getAttribute('rel')).toBe('noopener noreferrer');
      await displayed.locator('.code').getByRole('button', { name: 'Copy' }).click();
      await displayed.getByRole('button', { name: 'Copied' }).waitFor();
      await messageBox(page).press('Control+V');
      expect(await messageBox(page).inputValue()).toBe('print("hi")');
    });
  });

  it('runs and fetches nothing that an answer holds', async () => {
    const response = [
      '<img src="https://example.com/a.png" onerror="document.title=1"> <script>document.title = 2</script>',
      '[one](javascript:document.title=3) [two](data:text/html,x) [three](https://example.com "a\\" onclick=\\"b")',
      '![four](https://example.com/b.png) ![five](javascript:document.title=4)',
    ].join('\n\n');
    await play(async (page) => {
      await say(page, directive({ answer: response }));
      await untilCompleted(page);
      const displayed = responds(page).first().locator('.markdown');
      expect(await displayed.locator('img, script, [onclick], [onerror]').count()).toBe(0);
      const links = await displayed.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
      expect(links).toEqual([null, null, 'https://example.com', 'https://example.com/b.png', null]);
      expect(await page.title()).toBe('Conch');
    });
  });

  it('keeps the numbers of lists and the sides of columns', async () => {
    const response = '1. one\n\n```\ncode\n```\n\n2. two\n\n| a |\n| -: |\n| 1 |';
    await play(async (page) => {
      await say(page, directive({ answer: response }));
      await untilCompleted(page);
      const displayed = responds(page).first().locator('.markdown');
      expect(await displayed.locator('ol').last().getAttribute('start')).toBe('2');
      expect(await displayed.locator('td').getAttribute('align')).toBe('right');
    });
  });

  it('folds reasoning', async () => {
    await play(async (page) => {
      await say(page, directive({ answer: '<think>\nsecret thoughts\n</think>\n\nThe answer.' }));
      await untilCompleted(page);
      const displayed = responds(page).first();
      expect(await displayed.locator('.markdown').innerText()).toBe('The answer.');
      expect(await displayed.getByText('secret thoughts').isVisible()).toBe(false);
      await displayed.getByText('Reasoning').click();
      expect(await displayed.getByText('secret thoughts').isVisible()).toBe(true);
    });
  });

  it('shows calls, and goes on with their results', async () => {
    const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } };
    const call = '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>';
    await play(async (page) => {
      await page.getByLabel('Tools').fill(JSON.stringify([tool]));
      await say(page, directive({ answers: [call, 'It rains.'] }));
      await untilCompleted(page);
      expect(await responds(page).first().locator('pre').innerText()).toBe('{\n  "city": "Rome"\n}');
      await page.getByLabel('Result of weather').fill('rain');
      await page.getByRole('button', { name: 'Send results' }).click();
      await responds(page).getByText('It rains.').waitFor();
      await untilCompleted(page);
      expect(await violations(page)).toEqual([]);
    });
  });

  it('stops in the middle, and the server stops too', async () => {
    await play(async (page) => {
      await say(page, slow);
      await page.getByText(/\bw3\b/).waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Stopped.', { exact: true }).waitFor();
      await untilCompleted(page);
      expect(await responds(page).first().locator('.markdown').innerText()).toMatch(/^w1 w2 w3/);
      await conch.logged(({ path, status }) => path === '/v1/chat/completions' && status === 499);
    });
  });

  it('asks again, also in other words', async () => {
    await play(async (page) => {
      await say(page, directive({ answer: 'one' }));
      await untilCompleted(page);
      await say(page, directive({ answer: 'two' }));
      await untilCompleted(page);
      await responds(page).last().getByRole('button', { name: 'Retry' }).click();
      await untilCompleted(page);
      expect(await responds(page).locator('.markdown').allInnerTexts()).toEqual(['one', 'two']);
      await page.getByRole('button', { name: 'Edit' }).first().click();
      await page.getByLabel('Edit message').fill(directive({ answer: 'three' }));
      await page.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('three', { exact: true }).waitFor();
      await untilCompleted(page);
      expect(await responds(page).locator('.markdown').allInnerTexts()).toEqual(['three']);
    });
  });

  it('keeps conversations in the browser, and forgets them when it is told to', async () => {
    const titles = (page: Page): Promise<string[]> => page.locator('#conversations .title').allInnerTexts();
    await play(async (page) => {
      await say(page, `first ${directive({ answer: 'one' })}`);
      await untilCompleted(page);
      await page.getByRole('button', { name: 'New conversation' }).click();
      await say(page, `second ${directive({ answer: 'two' })}`);
      await untilCompleted(page);
      await page.reload();
      expect(await responds(page).locator('.markdown').allInnerTexts()).toEqual(['two']);
      expect(await titles(page)).toEqual([expect.stringMatching(/^second/), expect.stringMatching(/^first/)]);
      await page.getByRole('button', { name: /^first/ }).click();
      expect(await responds(page).locator('.markdown').allInnerTexts()).toEqual(['one']);
      await page.getByRole('button', { name: /^Delete: first/ }).click();
      expect(await titles(page)).toEqual([expect.stringMatching(/^second/)]);
      await page.reload();
      expect(await titles(page)).toEqual([expect.stringMatching(/^second/)]);
    });
  });

  it('shows the very request as a program', async () => {
    await play(async (page) => {
      await page.getByLabel('System prompt').fill("It's you.");
      await page.getByLabel('Temperature').fill('0.5');
      await page.getByLabel('Other fields').fill('{"top_k": 3}');
      await say(page, directive({ answer: 'one' }));
      await untilCompleted(page);
      // What is changed afterwards is no part of it.
      await page.getByLabel('Temperature').fill('0.9');
      await page.getByRole('button', { name: 'Show request' }).click();
      const displayed = page.getByRole('dialog').locator('pre');
      expect(await displayed.innerText()).toContain(`curl -N '${conch.url}/v1/chat/completions'`);
      expect(await displayed.innerText()).toContain("It'\\''s you.");
      expect(await displayed.innerText()).toContain('"temperature": 0.5');
      await page.getByRole('button', { name: 'Python' }).click();
      expect(await displayed.innerText()).toContain('extra_body={\n        "top_k": 3,\n    }');
      await page.getByRole('button', { name: 'TypeScript' }).click();
      expect(await displayed.innerText()).toContain(`baseURL: "${conch.url}/v1"`);
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });
  });

  it('says which field cannot be sent, and what the server refuses', async () => {
    await play(async (page) => {
      await page.getByLabel('Tools').fill('[');
      await say(page, 'lost?');
      await page.getByRole('alert').getByText('Tools must be valid JSON').waitFor();
      expect(await messageBox(page).inputValue()).toBe('lost?');
      await page.getByLabel('Tools').fill('');
      await page.getByLabel('Temperature').fill('9');
      await say(page, 'too warm');
      await page.locator('.assistant .notice', { hasText: 'temperature' }).waitFor();
    });
  });

  it('leads to the page of the API', async () => {
    await visit(browser, conch.url, async (page) => {
      const handles = page.waitForEvent('popup');
      await page.getByRole('link', { name: 'API' }).click();
      const reference = await handles;
      await reference.getByRole('heading', { name: /^Conch API / }).waitFor();
      expect(await violations(reference)).toEqual([]);
      await reference.getByRole('link', { name: 'openapi.json', exact: true }).click();
      await reference.waitForURL(`${conch.url}/openapi.json`);
    });
  });

  it('is used by keyboard alone', async () => {
    await visit(browser, conch.url, async (page) => {
      await untilListed(page, model);
      await tabTo(page, 'a.skip');
      await page.keyboard.press('Enter');
      expect(await page.locator('#message:focus').count()).toBe(1);
      await tabTo(page, 'select');
      await page.keyboard.type(model);
      expect(await modelBox(page).inputValue()).toBe(model);
      for (let at = 0; at < 2; at++) await page.keyboard.press('Shift+Tab');
      expect(await page.locator('#message:focus').count()).toBe(1);
      await page.keyboard.insertText(slow);
      await page.keyboard.press('Enter');
      await page.getByText(/\bw2\b/).waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('Stopped.', { exact: true }).waitFor();
      await page.keyboard.press('Alt+n');
      await page.getByText('Send a message to start a conversation.').waitFor();
      await tabTo(page, 'a[href="#dashboard"]');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Servers' }).waitFor();
    });
  });
});

/** Goes on by the key until an element of this kind has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let at = 0; at < 60; at++) {
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The key never comes to ${selector}`);
}
