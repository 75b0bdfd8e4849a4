import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Conch, startConch } from '../support/conch.ts';
import { post } from '../support/gateway.ts';
import {
  choose,
  fitsItsWidth,
  isWithoutChromium,
  patience,
  phone,
  responds,
  say,
  shoot,
  startChromium,
  untilCompleted,
  violations,
  visit,
} from './browser.ts';

const model = 'smollm2-135m-instruct';

describe.skipIf(isWithoutChromium)('the page in front of the embedded model', patience, () => {
  let conch: Conch;
  let browser: Browser;
  beforeAll(async () => {
    [conch, browser] = await Promise.all([startConch({ readyMilliseconds: 180_000 }), startChromium()]);
  }, 200_000);
  afterAll(() => Promise.all([conch.stop(), browser.close()]));

  const chat = async (page: Page): Promise<void> => {
    await page.getByLabel('Temperature').fill('0');
    await page.getByLabel('Max tokens').fill('48');
    await say(page, 'What is a conch?');
    await untilCompleted(page);
  };

  /** Asks something beside the dashboard, which then has it in its charts. */
  const untilBusy = async (page: Page): Promise<void> => {
    // The first rates are known at the second look at the metrics.
    await page.locator('.chart strong', { hasText: /^0$/ }).first().waitFor();
    await post(`${conch.url}/v1/completions`, { model, prompt: 'The sea is', max_tokens: 32, stream: true });
    await page.locator('.chart', { hasText: 'Tokens per second' }).locator('strong', { hasText: /[1-9]/ }).waitFor();
  };

  it('has a whole conversation', async () => {
    await visit(browser, conch.url, async (page) => {
      await choose(page, model);
      await chat(page);
      const first = responds(page).first();
      expect(await first.getAttribute('aria-label')).toBe(`Response from ${model}`);
      expect(await first.locator('.markdown').innerText()).toMatch(/\w/);
      expect(await first.locator('.figures').innerText()).toMatch(
        /^first token [\d.]+ m?s · [\d.]+ tokens\/s · \d+ tokens in [\d.]+ m?s$/,
      );
      await say(page, 'Say it in five words.');
      await untilCompleted(page);
      expect(await responds(page).count()).toBe(2);
      const line = conch.log().findLast(({ path }) => path === '/v1/chat/completions');
      expect(line).toMatchObject({ status: 200, model });
    });
  });

  it.each(['light', 'dark'] as const)('is fit to be read in %s', async (colorScheme) => {
    const look = async (page: Page): Promise<void> => {
      await chat(page);
      expect(await violations(page)).toEqual([]);
      await shoot(page, `playground-${colorScheme}`);
      await page.getByRole('link', { name: 'Dashboard' }).click();
      await untilBusy(page);
      await page.getByRole('button', { name: `Unload ${model}` }).waitFor();
      expect(await violations(page)).toEqual([]);
      await shoot(page, `dashboard-${colorScheme}`);
    };
    await visit(browser, conch.url, look, { colorScheme, viewport: { width: 1280, height: 800 } });
  });

  it('is at home on a phone', async () => {
    const look = async (page: Page): Promise<void> => {
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByLabel('Temperature').fill('0');
      await page.getByLabel('Max tokens').fill('48');
      expect(await fitsItsWidth(page)).toBe(true);
      await page.getByRole('button', { name: 'Settings' }).click();
      await say(page, 'What is a conch?');
      await untilCompleted(page);
      expect(await fitsItsWidth(page)).toBe(true);
      expect(await violations(page)).toEqual([]);
      await shoot(page, 'playground-phone');
      await page.getByRole('link', { name: 'Dashboard' }).click();
      await untilBusy(page);
      await page.getByRole('button', { name: `Unload ${model}` }).waitFor();
      expect(await fitsItsWidth(page)).toBe(true);
      expect(await violations(page)).toEqual([]);
      await shoot(page, 'dashboard-phone');
    };
    await visit(browser, conch.url, look, phone);
  });
});
