import { rmSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toyRepository } from '../manage/repository.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { post } from '../support/gateway.ts';
import { startTriton, type Triton } from '../support/triton.ts';
import { isWithoutChromium, patience, startChromium, violations, visit } from './browser.ts';

describe.skipIf(isWithoutChromium)('the dashboard', patience, () => {
  const folder = toyRepository(['steady', 'spare', 'broken'], { broken: 'breaks' });
  let triton: Triton;
  let conch: Conch;
  let browser: Browser;
  beforeAll(async () => {
    [triton, browser] = await Promise.all([
      startTriton({ repository: folder, modelControl: 'explicit', loadModels: ['steady'] }),
      startChromium(),
    ]);
    conch = await startConch({
      flags: ['--triton', `127.0.0.1:${triton.grpcPort}`, '--refresh-interval', '200ms', '--slow-start', '0s'],
    });
  }, 120_000);
  afterAll(async () => {
    await Promise.all([conch.stop(), browser.close()]);
    await triton.stop();
    rmSync(folder, { recursive: true });
  });

  it('loads and unloads models, and tells why it cannot', async () => {
    await visit(browser, conch.url, async (page) => {
      await page.getByRole('link', { name: 'Dashboard' }).click();
      const state = (model: string) => page.getByRole('row', { name: model }).locator('.state');
      await page.getByRole('button', { name: 'Load spare' }).click();
      await page.getByRole('status').getByText('spare is loaded.').waitFor();
      expect(await state('spare').innerText()).toBe('ready');
      await page.getByRole('button', { name: 'Unload spare' }).click();
      await page.getByRole('status').getByText('spare is unloaded.').waitFor();
      expect(await state('spare').innerText()).not.toBe('ready');
      await page.getByRole('button', { name: 'Load broken' }).click();
      await page.getByRole('status').getByText(`127.0.0.1:${triton.grpcPort}`).waitFor();
      expect(await state('broken').innerText()).not.toBe('ready');
      expect(await violations(page)).toEqual([]);
    });
  });

  it('shows what happens while it happens', async () => {
    await visit(browser, conch.url, async (page) => {
      await page.getByRole('link', { name: 'Dashboard' }).click();
      const tokens = page.locator('.chart', { hasText: 'Tokens per second' }).locator('strong');
      await page.locator('.chart strong', { hasText: /^0$/ }).first().waitFor();
      await post(`${conch.url}/v1/completions`, { model: 'steady', prompt: directive({ tokens: 20 }) });
      await tokens.filter({ hasText: /[1-9]/ }).waitFor();
      const server = page.getByRole('row', { name: `127.0.0.1:${triton.grpcPort}` });
      expect(await server.locator('.state').innerText()).toBe('ready');
    });
  });
});
