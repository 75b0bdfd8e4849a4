import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ContractKind, Limits } from '../contracts/contract.ts';
import { type Detection, detectContract, isTokenEngine } from '../contracts/detect.ts';
import { trtllmContract } from '../contracts/trtllm.ts';
import { trtllmTokensContract } from '../contracts/trtllm-tokens.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import { type Chain, chainOf, innerNames, isYes, parameterOf } from './chain.ts';
import { type EngineFacts, readEngineFolder } from './engine-folder.ts';

/** What the operator says of a model before it is known. */
export interface ModelHints {
  /** `tensorrtllm` is any of that family's. */
  readonly contract?: ContractKind | 'tensorrtllm' | undefined;
  readonly tokenizer?: string | undefined;
  readonly engineDir?: string | undefined;
  /** Whether a request is ended with the input `stop`, and not by leaving its stream. */
  readonly stopsByRequest?: boolean | undefined;
}

/** A ready model as its server describes it. */
export interface KnownModel {
  readonly name: string;
  readonly version: string;
  readonly config: ModelConfig;
}

/** How a model is spoken to. */
export interface Fit {
  readonly detection: Detection;
  /** The model that requests go to, where it is another one: the engine behind an ensemble. */
  readonly target?: KnownModel;
  /** Where the model's own configuration says that its tokenizer is, and it can be read here. */
  readonly tokenizerDirectory?: string | undefined;
}

/** Finds how a model is spoken to, by its own configuration and by those of the models that stand behind it. */
export async function fitModel(model: KnownModel, all: readonly KnownModel[], hints: ModelHints): Promise<Fit> {
  const { config } = model;
  const { contract: forced } = hints;
  if (isTokenEngine(config)) {
    const outer = forced === 'trtllm-tokens' ? undefined : outerOf(model, all);
    if (outer) return { detection: { reason: `it is an inner part of ${outer.name}` } };
    return fitEngine(model.name, { engine: model, preprocessing: undefined }, hints);
  }
  const chain = chainOf(config, all);
  const decoupled = isDecoupled(config) || (chain !== undefined && isDecoupled(chain.engine.config));
  const detection = detectContract(config, {
    decoupled,
    forced: forced === 'trtllm-tokens' ? 'trtllm' : forced,
    stopsByRequest: hints.stopsByRequest ?? false,
  });
  if (!('contract' in detection)) return { detection: innerReason(model, all) ?? detection };
  if (detection.contract.kind !== 'trtllm') return { detection };
  const tokenizerDirectory = chain && directoryOf(chain);
  const wantsEngine = forced === 'trtllm-tokens';
  if (chain && (wantsEngine || (forced !== 'trtllm' && (hints.tokenizer ?? tokenizerDirectory) !== undefined)))
    return { ...(await fitEngine(model.name, chain, hints)), target: chain.engine };
  if (wantsEngine)
    return { detection: { reason: 'it is set to the contract trtllm-tokens, but no engine is behind it' } };
  return { detection: await textDetection(model, chain, decoupled, hints), tokenizerDirectory };
}

/** The models whose descriptions decide how this one is spoken to. */
export function partsOf({ config }: KnownModel, all: readonly KnownModel[]): readonly KnownModel[] {
  const chain = chainOf(config, all);
  if (chain) return [chain.engine, ...(chain.preprocessing ? [chain.preprocessing] : [])];
  return all.filter((other) => isInside(config.name, other, all));
}

/** How a model in front of an engine is spoken to in text, with what the models behind it say of it. */
async function textDetection(
  { config }: KnownModel,
  chain: Chain<KnownModel> | undefined,
  decoupled: boolean,
  hints: ModelHints,
): Promise<Detection> {
  const isEnsemble = config.ensemble_scheduling !== undefined;
  const limits = chain && (await engineFacts(chain, hints)).limits;
  const contract = trtllmContract(config, {
    decoupled,
    ...(chain ? { addsSpecialTokens: addsSpecialTokens(chain) } : {}),
    ...(limits ? { limits } : {}),
    // An ensemble passes the id of its request on, a BLS model does not.
    ...(chain && isEnsemble ? { engine: chain.engine } : {}),
  });
  return { contract };
}

async function fitEngine(name: string, chain: Chain<KnownModel>, hints: ModelHints): Promise<Fit> {
  const { config } = chain.engine;
  const tokenizerDirectory = directoryOf(chain);
  if ((hints.tokenizer ?? tokenizerDirectory) === undefined)
    return {
      detection: {
        reason: `it takes token ids, and no tokenizer is at hand: start Conch with --tokenizer ${name}=DIR`,
      },
    };
  const contract = trtllmTokensContract(config, {
    ...(await engineFacts(chain, hints)),
    addsSpecialTokens: addsSpecialTokens(chain),
    stopsByRequest: hints.stopsByRequest ?? false,
  });
  return { detection: { contract }, tokenizerDirectory };
}

/** What the folder of the engine says of it, and what its configuration does. */
async function engineFacts({ engine: { config } }: Chain<KnownModel>, hints: ModelHints): Promise<EngineFacts> {
  const folder = hints.engineDir ?? parameterOf(config, 'gpt_model_path') ?? parameterOf(config, 'engine_dir');
  const facts = (folder === undefined ? undefined : await readEngineFolder(folder)) ?? noFacts;
  const beams = beamLimit(parameterOf(config, 'max_beam_width'), facts.limits.beamWidth);
  return { ...facts, limits: { ...facts.limits, ...beams } };
}

const noFacts: EngineFacts = { limits: {}, gathersLogits: false };

function addsSpecialTokens({ preprocessing }: Chain<KnownModel>): boolean {
  return isYes(preprocessing && parameterOf(preprocessing.config, 'add_special_tokens'), true);
}

/** An engine follows as many beams as it was built for, and its server as many as it is told. */
function beamLimit(written: string | undefined, built: number | undefined): Limits {
  const told = Number(written);
  const widths = [told, built].filter((width) => width !== undefined && Number.isSafeInteger(width) && width > 0);
  return widths.length === 0 ? {} : { beamWidth: Math.min(...(widths as number[])) };
}

/** The folder of the chain's tokenizer, where this machine has it. */
function directoryOf({ engine, preprocessing }: Chain<KnownModel>): string | undefined {
  const named = [preprocessing, engine].map((model) => model && parameterOf(model.config, 'tokenizer_dir'));
  return named.find((folder) => folder !== undefined && existsSync(join(folder, 'tokenizer.json')));
}

function isDecoupled({ model_transaction_policy: policy }: ModelConfig): boolean {
  return policy?.decoupled ?? false;
}

/** A step of an ensemble that is not usable by itself says so, instead of naming its tensors. */
function innerReason(model: KnownModel, all: readonly KnownModel[]): Detection | undefined {
  const outer = outerOf(model, all);
  return outer && { reason: `it is an inner part of ${outer.name}` };
}

function outerOf(inner: KnownModel, all: readonly KnownModel[]): KnownModel | undefined {
  return all.find((outer) => isInside(inner.name, outer, all));
}

function isInside(inner: string, outer: KnownModel, all: readonly KnownModel[]): boolean {
  const { config } = outer;
  if (config.ensemble_scheduling) return config.ensemble_scheduling.step.some((step) => step.model_name === inner);
  return isBls(config) && chainOf(config, all) !== undefined && innerNames(config).includes(inner);
}

function isBls({ input }: ModelConfig): boolean {
  return input.some(({ name }) => name === 'text_input');
}
