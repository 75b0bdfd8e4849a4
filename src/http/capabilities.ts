import { setTimeout as sleep } from 'node:timers/promises';
import { takesImages } from '../generate/image-messages.ts';
import { formatsOf, keepsMarkers } from '../generate/parsers.ts';
import { usesToolPrompt } from '../generate/tool-prompt.ts';
import { abilities } from '../models/abilities.ts';
import { generatesText, type NamedModel } from '../models/served-model.ts';

/** The capabilities of a model, as far as they are known within a few seconds. */
export async function capabilitiesOf(model: NamedModel): Promise<Readonly<Record<string, boolean>>> {
  const assets = await assetsWithin(model, longestWait);
  const facts = { ...model, assets, reads: await readsOf(model, assets) };
  return Object.fromEntries(abilities.map(({ name, isOf }) => [name, isOf(facts)]));
}

/** Which parts of a response Conch can separate, tool calls and reasoning, and whether it can send images. */
async function readsOf(model: NamedModel, assets: ReturnType<NamedModel['loadedAssets']>) {
  const template = assets?.template;
  if (!generatesText(model) || !template) return { tools: false, reasoning: false, images: false };
  const formats = formatsOf(model, template);
  const canCall = formats.tools !== undefined && (template.mentions('tools') || usesToolPrompt(model, template));
  return {
    tools: canCall && keepsMarkers(model, formats.tools),
    reasoning: formats.reasoning !== undefined,
    images: await takesImages(model, assets),
  };
}

/** Milliseconds to wait for a tokenizer that is loading. */
const longestWait = 5_000;

/** The tokenizer and template of a model. Waits for a running load, but not longer than this. */
async function assetsWithin(model: NamedModel, milliseconds: number): Promise<ReturnType<NamedModel['loadedAssets']>> {
  const stop = new AbortController();
  const timeout = sleep(milliseconds, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  await Promise.race([model.assets().catch(() => undefined), timeout]);
  stop.abort();
  return model.loadedAssets();
}
