import { mkdirSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { inRoot } from '../support/environment.ts';
import { isLeftOut, programPath } from '../support/system-program.ts';

/** Whether there is no Chromium on this machine. */
export const isWithoutChromium = isLeftOut('chromium');

/** How long a test of the page may take: a browser starts slowly where cores are busy. */
export const patience = { timeout: 240_000 };

/** A phone as they are held. */
export const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Debian's own Chromium. Its sandbox wants rights that a container does not give. */
export function startChromium(): Promise<Browser> {
  const executablePath = programPath('chromium');
  if (executablePath === undefined) throw new Error('chromium is not on PATH');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/**
 * Opens the page like somebody who was never there before, and does something with it. It fails where the page throws,
 * breaks its own security policy, or asks another host for anything.
 */
export async function visit(
  browser: Browser,
  url: string,
  body: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const context = await browser.newContext({ locale: 'en', ...options });
  try {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    // Not as a script of the page, which its policy would refuse.
    await context.addInitScript({ content: axe.source });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (line) => {
      // A refusal by the server is no fault of the page.
      if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) errors.push(line.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${new URL(url).origin}/`)) errors.push(`asks for ${request.url()}`);
    });
    await page.goto(url);
    await body(page);
    expect(errors).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Where messages are written. */
export function messageBox(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Message', exact: true });
}

/** Where the model is chosen. */
export function modelBox(page: Page): Locator {
  return page.locator('#settings select');
}

/** Waits until a model is there to be chosen. */
export async function untilListed(page: Page, model: string): Promise<void> {
  await modelBox(page)
    .locator('option', { hasText: new RegExp(`^${model}$`) })
    .waitFor({ state: 'attached' });
}

/** Chooses the model, as soon as it is there to be chosen. */
export async function choose(page: Page, model: string): Promise<void> {
  await modelBox(page).selectOption(model);
}

/** Writes a message and sends it with Enter. */
export async function say(page: Page, text: string): Promise<void> {
  await messageBox(page).fill(text);
  await messageBox(page).press('Enter');
}

/** The answers that are shown, the last one last. */
export function responds(page: Page): Locator {
  return page.getByRole('article', { name: /^Response from / });
}

/** Waits until the answer that was asked for has ended. */
export async function untilCompleted(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds wrong with the page as it is now. */
export async function violations(page: Page): Promise<readonly string[]> {
  const found = await page.evaluate(async () => {
    const inPage = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    return (await inPage.axe.run()).violations;
  });
  return found.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/** Whether nothing sticks out at the side. */
export function fitsItsWidth(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const { document, innerWidth } = globalThis as unknown as {
      document: { documentElement: { scrollWidth: number } };
      innerWidth: number;
    };
    return document.documentElement.scrollWidth <= innerWidth;
  });
}

/** Keeps a picture of what is shown, as output of the tests. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = inRoot('test/output/page');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png` });
}
