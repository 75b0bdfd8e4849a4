import { setTimeout as sleep } from 'node:timers/promises';
import { formatsOf, keepsMarkers } from '../generate/parsers.ts';
import { abilities } from '../models/abilities.ts';
import { generatesText, type NamedModel } from '../models/served-model.ts';

/** What clients may ask of a model, as far as it is known within a few seconds. */
export async function capabilitiesOf(model: NamedModel): Promise<Readonly<Record<string, boolean>>> {
  const assets = await assetsWithin(model, longestWait);
  const facts = { ...model, assets, reads: readsOf(model, assets) };
  return Object.fromEntries(abilities.map(({ name, isOf }) => [name, isOf(facts)]));
}

/** Which parts of its responses can be told apart. */
function readsOf(model: NamedModel, assets: ReturnType<NamedModel['loadedAssets']>) {
  const template = assets?.template;
  if (!generatesText(model) || !template) return { tools: false, reasoning: false };
  const formats = formatsOf(model, template);
  const canCall = formats.tools !== undefined && template.mentions('tools');
  return { tools: canCall && keepsMarkers(model, formats.tools), reasoning: formats.reasoning !== undefined };
}

/** Milliseconds to wait for tokenizers that are still being loaded. */
const longestWait = 5_000;

/** What a model has of tokenizer and template, waiting for a load that is under way, but not for a hub that is silent. */
async function assetsWithin(model: NamedModel, milliseconds: number): Promise<ReturnType<NamedModel['loadedAssets']>> {
  const stop = new AbortController();
  const timeout = sleep(milliseconds, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  await Promise.race([model.assets().catch(() => undefined), timeout]);
  stop.abort();
  return model.loadedAssets();
}
