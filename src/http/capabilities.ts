import type { ParameterName } from '../contracts/contract.ts';
import { formatsOf, keepsMarkers } from '../generate/parsers.ts';
import { generatesText, type NamedModel } from '../models/served-model.ts';

/** What clients may ask of a model, as far as it is known by now. */
export function capabilitiesOf(model: NamedModel, assets: ReturnType<NamedModel['loadedAssets']>) {
  const { contract, embedding, rerank } = model;
  const template = contract && assets?.template;
  const formats = generatesText(model) && template ? formatsOf(model, template) : undefined;
  const honours = (parameter: ParameterName): boolean =>
    contract !== undefined && contract.support(parameter).kind !== 'refused';
  const canCall = formats?.tools !== undefined && (template?.mentions('tools') ?? false);
  return {
    completion: contract !== undefined,
    chat: template !== undefined,
    tools: canCall && generatesText(model) && keepsMarkers(model, formats?.tools),
    reasoning: formats?.reasoning !== undefined,
    guided_decoding: honours('structured_outputs'),
    images: contract?.images.kind === 'taken',
    logprobs: honours('logprobs'),
    logit_bias: honours('logit_bias'),
    token_ids: assets?.tokenizer !== undefined,
    embedding: embedding !== undefined,
    rerank: rerank !== undefined,
  };
}
