import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directive } from '../support/exchange.ts';
import { startGateway } from '../support/gateway.ts';
import {
  choose,
  isWithoutChromium,
  patience,
  responds,
  say,
  startChromium,
  untilCompleted,
  untilListed,
  violations,
  visit,
} from './browser.ts';

const key = 'a-key-of-this-test';

describe.skipIf(isWithoutChromium)('the page', patience, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  it('asks for a key, refuses a wrong one and keeps the right one in its tab alone', async () => {
    const conch = await startGateway('--api-key', key);
    try {
      await visit(browser, conch.url, async (page) => {
        const box = page.getByLabel('API key');
        await page.getByText('This server requires an API key.').waitFor();
        expect(await page.locator('input[name=key]:focus').count()).toBe(1);
        expect(await violations(page)).toEqual([]);
        // What no header can hold is not sent.
        await box.fill('ключ');
        await box.press('Enter');
        expect(await page.locator('input[name=key]:invalid').count()).toBe(1);
        await box.fill('another-key');
        await box.press('Enter');
        await page.getByRole('dialog').getByText('Incorrect API key provided. Check the key and try again.').waitFor();
        await box.fill(key);
        await box.press('Enter');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await choose(page, 'vllm-toy');
        await say(page, directive({ answer: 'one' }));
        await untilCompleted(page);
        expect(await responds(page).locator('.markdown').innerText()).toBe('one');
        await page.getByRole('button', { name: 'Show request' }).click();
        const program = await page.getByRole('dialog').locator('pre').innerText();
        expect(program).toContain('$CONCH_API_KEY');
        expect(program).not.toContain(key);
        const { cookies, origins } = await page.context().storageState();
        expect(JSON.stringify({ cookies, origins })).not.toContain(key);
        await page.keyboard.press('Escape');
        await page.reload();
        await untilListed(page, 'vllm-toy');
        const second = await page.context().newPage();
        await second.goto(conch.url);
        await second.getByText('This server requires an API key.').waitFor();
      });
    } finally {
      await conch.stop();
    }
  });

  it('asks for a key once, and again when somebody wants to give it', async () => {
    const conch = await startGateway('--api-key', key);
    try {
      await visit(browser, `${conch.url}/#dashboard`, async (page) => {
        const dialog = page.getByRole('dialog');
        await page.getByText('This server requires an API key.').waitFor();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        // Both kinds of look at the server come again, and are refused.
        for (const path of ['/metrics', '/v1/servers'])
          await page.waitForResponse((response) => response.url() === conch.url + path && response.status() === 401);
        await page.getByRole('alert').getByText('No API key.').waitFor();
        expect(await dialog.count()).toBe(0);
        await page.getByRole('button', { name: 'Key' }).click();
        await page.getByLabel('API key').fill('another-key');
        await page.keyboard.press('Enter');
        await dialog.getByText('Incorrect API key provided. Check the key and try again.').waitFor();
      });
    } finally {
      await conch.stop();
    }
  });

  it('says so when the server goes away in the middle of an answer', async () => {
    const conch = await startGateway();
    try {
      await visit(browser, conch.url, async (page) => {
        await choose(page, 'vllm-toy');
        await say(page, directive({ tokens: 200, delay_ms: 100 }));
        await page.getByText(/\bw2\b/).waitFor();
        process.kill(conch.pid, 'SIGKILL');
        await page.getByText('The connection was lost before the response was complete.').waitFor();
        expect(await responds(page).locator('.markdown').innerText()).toMatch(/^w1 w2/);
        await page.getByRole('button', { name: 'Retry' }).click();
        await page.locator('.assistant .notice', { hasText: 'The server is unreachable.' }).waitFor();
        await page.getByRole('link', { name: 'Dashboard' }).click();
        await page.getByRole('alert').getByText('The server is unreachable.').waitFor();
      });
    } finally {
      await conch.stop();
    }
  });

  it('chats in a browser that allows no storage, and says that nothing is kept', async () => {
    const conch = await startGateway();
    try {
      await visit(browser, conch.url, async (page) => {
        await page.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
          Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError'); } });`);
        await page.reload();
        await choose(page, 'vllm-toy');
        await say(page, directive({ answer: 'Yes.' }));
        await untilCompleted(page);
        expect(await responds(page).locator('.markdown').innerText()).toBe('Yes.');
        await page.getByText('This browser blocks storage: conversations are lost when you close this tab.').waitFor();
      });
    } finally {
      await conch.stop();
    }
  });
});

describe('--no-ui', () => {
  it('leaves the API alone', async () => {
    const conch = await startGateway('--no-ui');
    try {
      const response = await fetch(`${conch.url}/`);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({
        error: {
          message: 'Invalid URL (GET /).',
          type: 'invalid_request_error',
          param: null,
          code: 'not_found',
        },
      });
    } finally {
      await conch.stop();
    }
  });
});
