import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ContractKind, Limits } from '../contracts/contract.ts';
import { type Detection, detectContract, isConchModel, isTokenEngine } from '../contracts/detect.ts';
import { detectRows } from '../contracts/detect-rows.ts';
import { isYes, parameterOf } from '../contracts/parameters.ts';
import { type ModelContracts, noRows, type RowContracts } from '../contracts/row-contracts.ts';
import type { RowSettings } from '../contracts/row-settings.ts';
import { trtllmTokensContract } from '../contracts/trtllm-tokens.ts';
import { vllmEmbedding } from '../contracts/vllm-embedding.ts';
import { withFacts } from '../contracts/vllm-facts.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import { firstRows } from './abilities.ts';
import { type Chain, chainOf, innerNames } from './chain.ts';
import { type EngineFolder, readEngineFolder } from './engine-folder.ts';
import { readVllmFolder, type VllmFolder } from './vllm-folder.ts';

/** The settings of a model that its detection uses. */
export interface ModelHints {
  /** `tensorrtllm` is any contract of that family. */
  readonly contract?: ContractKind | 'tensorrtllm' | undefined;
  readonly tokenizer?: string | undefined;
  readonly engineDir?: string | undefined;
  /** Whether a request is cancelled with the input `stop` instead of by closing its stream. */
  readonly stopsByRequest?: boolean | undefined;
  /** The settings of its row tasks. */
  readonly rows?: RowSettings | undefined;
  /** Caches of the Hugging Face hub on this machine. */
  readonly hubCaches?: readonly string[] | undefined;
}

/** A ready model as its server describes it. */
export interface KnownModel {
  readonly name: string;
  readonly version: string;
  readonly config: ModelConfig;
}

/** The detected contracts of a model. */
export interface ModelFit {
  /** How it generates text, or why it does not. */
  readonly detection: Detection;
  readonly rows: RowContracts;
  /** What the detection used besides configurations, as JSON: with the same basis, the result is the same. */
  readonly basis: string;
  /** The model that requests go to, if it is another one: the engine of an ensemble. */
  readonly target?: KnownModel | undefined;
  /** The tokenizer directory of the model's own configuration, if it is on this machine. */
  readonly tokenizerDirectory?: string | undefined;
  /** How many instances the postprocessing model has: with several, chunks of a response may arrive out of order. */
  readonly postprocessors?: number | undefined;
  /** The facts from the files of a vLLM model, if they are on this machine. */
  readonly vllm?: VllmFolder | undefined;
}

/** The contracts of a ready model; undefined if Conch cannot serve it. */
export function contractsOf({ detection, rows }: ModelFit): ModelContracts | undefined {
  const contract = 'contract' in detection ? detection.contract : undefined;
  return contract || firstRows(rows) ? { contract, rows } : undefined;
}

/**
 * Detects the contracts of a model from its own configuration and those of its parts. For a vLLM model, its files count
 * too if its server's repositories are on this machine.
 */
export async function fitModel(
  model: KnownModel,
  all: readonly KnownModel[],
  hints: ModelHints,
  repositories: readonly string[] = [],
): Promise<ModelFit> {
  const { config } = model;
  const { contract: forced } = hints;
  const outer = outerOf(model, all);
  if (isTokenEngine(config)) {
    if (outer && forced !== 'trtllm-tokens') return innerPart(outer);
    const engineOnly = { engine: model, preprocessing: undefined, postprocessing: undefined, isPlain: true };
    return fitEngine(model.name, engineOnly, hints);
  }
  if (isConchModel(config)) return fitConchModel(model, hints, repositories);
  const chain = chainOf(config, all);
  const tokenizerDirectory = chain && directoryOf(chain);
  const hasTokenizer = (hints.tokenizer ?? tokenizerDirectory) !== undefined;
  const wantsEngine = forced === 'trtllm-tokens';
  if (chain && (wantsEngine || ((forced === undefined || forced === 'tensorrtllm') && chain.isPlain && hasTokenizer)))
    return { ...(await fitEngine(model.name, chain, hints)), target: chain.engine };
  if (wantsEngine) return refusal('its contract is set to trtllm-tokens, but it has no TensorRT-LLM engine');
  const folder = await engineFolder(chain, hints);
  const facts = {
    decoupled: isDecoupled(config, chain),
    addsSpecialTokens: addsSpecialTokens(chain),
    limits: folder.limits,
    blockSize: folder.blockSize,
  };
  const { decoupled, limits, blockSize } = facts;
  const detection = detectContract(config, {
    forced,
    decoupled,
    stopsByRequest: hints.stopsByRequest ?? false,
    blockSize,
    text: {
      addsSpecialTokens: facts.addsSpecialTokens,
      limits,
      ...(blockSize === undefined ? {} : { blockSize }),
      // An ensemble passes the id of its request on, a BLS model does not.
      ...(chain && config.ensemble_scheduling ? { engine: chain.engine } : {}),
    },
  });
  if ('reason' in detection) return outer ? innerPart(outer) : fitRows(model, detection, hints);
  const postprocessors = chain && instancesOf(chain.postprocessing?.config);
  const basis = JSON.stringify([facts, tokenizerDirectory, chain?.engine]);
  const { contract } = detection;
  const embedding = vllmEmbedding(config, contract.limits.context);
  const rows = embedding ? { embedding } : noRows;
  if (contract.kind === 'vllm' && repositories.length > 0) {
    const vllm = await readVllmFolder(model, { repositories, hubCaches: hints.hubCaches ?? [] });
    if (vllm) return { ...fitVllm({ contract, rows }, vllm), basis };
  }
  return { detection, rows, basis, tokenizerDirectory, postprocessors };
}

/** Conch's own vLLM model: its requests are token ids if there is a tokenizer. */
async function fitConchModel(
  model: KnownModel,
  { contract: forced, tokenizer, hubCaches = [] }: ModelHints,
  repositories: readonly string[],
): Promise<ModelFit> {
  const vllm = repositories.length === 0 ? undefined : await readVllmFolder(model, { repositories, hubCaches });
  const hasTokenizer = (tokenizer ?? vllm?.tokenizerDirectory) !== undefined;
  const detection = detectContract(model.config, { forced, hasTokenizer });
  const basis = JSON.stringify([hasTokenizer]);
  if (!vllm || 'reason' in detection) return { detection, rows: noRows, basis };
  return { ...fitVllm({ contract: detection.contract, rows: noRows }, vllm), basis };
}

/** Triton's configuration takes precedence over the files of the model. */
function fitVllm(contracts: ModelContracts, vllm: VllmFolder): Omit<ModelFit, 'basis'> {
  const declared = contracts.contract?.limits.context;
  const facts = declared === undefined ? vllm.facts : { ...vllm.facts, context: declared };
  const { contract, rows } = withFacts(contracts, facts);
  const detection = contract ? { contract } : { reason: 'it creates embeddings' };
  return { detection, rows, tokenizerDirectory: vllm.tokenizerDirectory, vllm };
}

/** The contracts of a model that does not generate text: embeddings, pair scores, class scores. */
function fitRows({ name, config }: KnownModel, detection: Detection, hints: ModelHints): ModelFit {
  const { rows, reason } = detectRows(config, hints.rows ?? {});
  const named = parameterOf(config, 'tokenizer_dir');
  const tokenizerDirectory = named !== undefined && existsSync(join(named, 'tokenizer.json')) ? named : undefined;
  const takesIds = firstRows(rows)?.takes === 'ids';
  if (takesIds && (hints.tokenizer ?? tokenizerDirectory) === undefined) return refusal(needsTokenizer(name));
  const basis = JSON.stringify([tokenizerDirectory, reason]);
  return { detection: reason === undefined ? detection : { reason }, rows, basis, tokenizerDirectory };
}

function needsTokenizer(name: string): string {
  return `it takes token ids, but has no tokenizer: start Conch with --tokenizer ${name}=DIR`;
}

/** The other models whose configurations the detection uses. */
export function partsOf(model: KnownModel, all: readonly KnownModel[]): readonly KnownModel[] {
  const chain = chainOf(model.config, all);
  const inside = chain ? [chain.engine, chain.preprocessing, chain.postprocessing] : [];
  const outer = outerOf(model, all);
  return [...inside, outer].filter((part) => part !== undefined);
}

async function fitEngine(name: string, chain: Chain<KnownModel>, hints: ModelHints): Promise<ModelFit> {
  const tokenizerDirectory = directoryOf(chain);
  if ((hints.tokenizer ?? tokenizerDirectory) === undefined) return refusal(needsTokenizer(name));
  const facts = {
    ...(await engineFolder(chain, hints)),
    addsSpecialTokens: addsSpecialTokens(chain),
    stopsByRequest: hints.stopsByRequest ?? false,
  };
  const basis = JSON.stringify([facts, tokenizerDirectory, chain.engine]);
  const detection = { contract: trtllmTokensContract(chain.engine.config, facts) };
  return { detection, rows: noRows, basis, tokenizerDirectory };
}

function refusal(reason: string): ModelFit {
  return { detection: { reason }, rows: noRows, basis: reason };
}

/** For a model that is only usable as part of another: a clearer reason than its tensors. */
function innerPart(outer: KnownModel): ModelFit {
  const reason = `it is part of ${outer.name}`;
  return { detection: { reason, isInner: true }, rows: noRows, basis: reason };
}

const nothingKnown: EngineFolder = { limits: {}, gathersLogits: false };

/** The facts from the folder and the configuration of an engine. */
async function engineFolder(chain: Chain<KnownModel> | undefined, hints: ModelHints): Promise<EngineFolder> {
  const config = chain?.engine.config;
  const named = config && (parameterOf(config, 'gpt_model_path') ?? parameterOf(config, 'engine_dir'));
  const folder = hints.engineDir ?? named;
  const facts = (folder === undefined ? undefined : await readEngineFolder(folder)) ?? nothingKnown;
  const beams = config ? beamLimit(parameterOf(config, 'max_beam_width'), facts.limits.beamWidth) : {};
  return { ...facts, limits: { ...facts.limits, ...beams } };
}

/** The beam limit is the smaller one of the engine's build and the server's configuration. */
function beamLimit(written: string | undefined, built: number | undefined): Limits {
  const configured = Number(written);
  const widths = [configured, built].filter((width) => width !== undefined && Number.isSafeInteger(width) && width > 0);
  return widths.length === 0 ? {} : { beamWidth: Math.min(...(widths as number[])) };
}

function addsSpecialTokens(chain: Chain<KnownModel> | undefined): boolean {
  const { preprocessing } = chain ?? {};
  return (preprocessing && isYes(parameterOf(preprocessing.config, 'add_special_tokens'))) ?? true;
}

/** The folder of the chain's tokenizer, if it is on this machine. */
function directoryOf({ engine, preprocessing }: Chain<KnownModel>): string | undefined {
  const named = [preprocessing, engine].map((model) => model && parameterOf(model.config, 'tokenizer_dir'));
  return named.find((folder) => folder !== undefined && existsSync(join(folder, 'tokenizer.json')));
}

/** An ensemble is decoupled if its engine is, whether its configuration says so or not. */
function isDecoupled(config: ModelConfig, chain: Chain<KnownModel> | undefined): boolean {
  const says = (model: ModelConfig): boolean => model.model_transaction_policy?.decoupled ?? false;
  return says(config) || (config.ensemble_scheduling !== undefined && chain !== undefined && says(chain.engine.config));
}

function instancesOf(config: ModelConfig | undefined): number | undefined {
  return config?.instance_group?.reduce((sum, { count }) => sum + count, 0);
}

function outerOf(inner: KnownModel, all: readonly KnownModel[]): KnownModel | undefined {
  return all.find(
    (outer) =>
      outer !== inner &&
      innerNames(outer.config).includes(inner.name) &&
      (outer.config.ensemble_scheduling !== undefined || chainOf(outer.config, all) !== undefined),
  );
}
