import { engineModel, ensembleModel } from './trtllm-models.mjs';
import { vllmModel } from './vllm-model.mjs';

const MODELS = new Map([
  ['vllm', vllmModel],
  ['ensemble', ensembleModel],
  ['tokens', engineModel],
]);

/**
 * The model of a contract.
 * @param {string} contract
 */
export function modelOf(contract) {
  const model = MODELS.get(contract);
  if (model === undefined) throw new Error(`--contract takes one of ${[...MODELS.keys()].join(', ')}`);
  return model;
}
