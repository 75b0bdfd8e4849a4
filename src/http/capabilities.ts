import { setTimeout as sleep } from 'node:timers/promises';
import type { ParameterName } from '../contracts/contract.ts';
import { formatsOf, keepsMarkers } from '../generate/parsers.ts';
import { generatesText, type NamedModel } from '../models/served-model.ts';

/** What clients may ask of a model, as far as it is known within a few seconds. */
export async function capabilitiesOf(model: NamedModel) {
  const assets = await assetsWithin(model, longestWait);
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
