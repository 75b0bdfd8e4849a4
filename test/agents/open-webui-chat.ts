import type { Locator, Page } from 'playwright-core';

// How a user drives the chat of Open WebUI.

/** Starts a chat with a model. */
export async function startChat(page: Page, url: string, model: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: 'Selected model' }).click();
  await page.getByRole('option', { name: `Select ${model} model`, exact: true }).click();
}

/** Writes a message and sends it. The space at the end prevents the editor from making one character of `>>`. */
export async function say(page: Page, text: string): Promise<void> {
  const editor = page.locator('#chat-input');
  await editor.fill(`${text} `);
  await editor.press('Enter');
}

/** The last message of the model. */
export function lastResponse(page: Page): Locator {
  return page.getByRole('log').getByRole('listitem').last();
}

/** Waits until the last message of the model has ended with this text. */
export async function untilCompleted(page: Page, text: string): Promise<void> {
  await lastResponse(page).getByText(text, { exact: true }).waitFor();
  await lastResponse(page).getByRole('button', { name: 'Regenerate' }).waitFor();
}

/** Generates the last message once more. */
export async function regenerate(page: Page): Promise<void> {
  await lastResponse(page).getByRole('button', { name: 'Regenerate' }).click();
  await page.getByRole('button', { name: 'Try Again' }).click();
}
