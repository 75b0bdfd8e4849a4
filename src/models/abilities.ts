import type { Fit } from './fit.ts';
import type { NamedModel } from './served-model.ts';

/** How a model is spoken to, for each thing that it can do. */
export type Abilities = Pick<NamedModel, 'contract' | 'embedding' | 'rerank'>;

/** What a ready model can do; undefined where it is nothing that is served here. */
export function abilitiesOf({ detection, embedding, rerank }: Fit): Abilities | undefined {
  const contract = 'contract' in detection ? detection.contract : undefined;
  return contract || embedding || rerank ? { contract, embedding, rerank } : undefined;
}
