import { formatsOf, keepsMarkers } from '../generate/parsers.ts';
import { abilities } from '../models/abilities.ts';
import { generatesText, type NamedModel } from '../models/served-model.ts';

/** What clients may ask of a model, as far as it is known by now. */
export function capabilitiesOf(
  model: NamedModel,
  assets: ReturnType<NamedModel['loadedAssets']>,
): Readonly<Record<string, boolean>> {
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
