import {
  type GenerateRequest,
  type ParameterName,
  parameterNames,
  type Structure,
  type Support,
} from '../../contracts/contract.ts';
import { formatsOf } from '../../generate/parsers.ts';
import type { InferRequest } from '../../kserve/server.ts';
import { firstRows } from '../../models/abilities.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import { generatesText, type ModelRow, type NamedModel, type ServedModel } from '../../models/served-model.ts';
import type { ProbeResult } from './probe.ts';
import type { ProbedFacts } from './probe-facts.ts';
import { remarksOn } from './remarks.ts';
import { type RowsDiagnoses, rowsOf, rowsRemarks } from './rows-diagnosis.ts';

/** The diagnosis of one model of one server. */
export interface Diagnosis extends RowsDiagnoses {
  readonly model: string;
  readonly version: string;
  readonly server: string;
  readonly state: string;
  readonly isServed: boolean;
  /** Whether it is part of another model, which is served instead. */
  readonly isInner: boolean;
  /** Why it is not served. */
  readonly reason?: string;
  readonly contract?: string;
  /** The model that gets its requests: itself, or its engine. */
  readonly target?: string;
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly parameters?: Readonly<Record<'supported' | 'emulated', readonly ParameterName[]>> & {
    readonly refused: readonly { readonly name: ParameterName; readonly reason: string }[];
  };
  readonly tokenizer?: string;
  readonly template?: string;
  /** The parsers of its tool calls and its reasoning. */
  readonly toolCallParser?: string;
  readonly reasoningParser?: string;
  readonly limits?: ServedModel['contract']['limits'];
  /** What is missing, with the flag that adds it, and notes about this kind of model. */
  readonly remarks: readonly string[];
  /** What requests have shown about a vLLM model. */
  readonly facts?: ProbedFacts;
  readonly probe?: ProbeResult;
}

/** Diagnoses every model of the registry. */
export async function diagnose(registry: ModelRegistry, emulatesStructure: boolean): Promise<Diagnosis[]> {
  const served = new Map(registry.list().map((model) => [model.name, model]));
  // The caller reports unreachable servers.
  const rows = registry.rows().filter(({ state }) => state !== 'UNREACHABLE');
  return Promise.all(
    rows.map(async (row) => {
      const model = row.reason === '' ? served.get(row.name) : undefined;
      if (!model) return unserved(row);
      return generatesText(model) ? describe(model, row, emulatesStructure) : describeRows(model, row);
    }),
  );
}

function unserved({ name, version, server, state, reason, isInner = false }: ModelRow): Diagnosis {
  return { model: name, version, server, state, isServed: false, isInner, reason, remarks: [] };
}

/** A model that generates no text. */
async function describeRows(model: NamedModel, { server, version, state, contract }: ModelRow): Promise<Diagnosis> {
  const loadError = await assetErrorOf(model);
  const assets = model.loadedAssets();
  const context = model.contextLength();
  const rows = rowsOf(model, assets?.sentence);
  const reason = loadError ?? rows.embedding?.error;
  const first = firstRows(model.rows);
  return {
    model: model.name,
    version,
    server,
    state,
    isServed: reason === undefined,
    isInner: false,
    ...(reason === undefined ? {} : { reason }),
    contract,
    target: model.model,
    inputs: first?.inputs ?? [],
    outputs: first?.outputs ?? [],
    tokenizer: assets?.tokenizer?.source ?? '-',
    limits: context === undefined ? {} : { context },
    ...rows,
    remarks: rowsRemarks(model, assets),
  };
}

async function describe(
  model: ServedModel,
  { server, version, state }: ModelRow,
  emulatesStructure: boolean,
): Promise<Diagnosis> {
  const { contract } = model;
  const loadError = await assetErrorOf(model);
  const assets = model.loadedAssets();
  const sent = requestsOf(model);
  const formats = assets?.template && formatsOf(model, assets.template);
  const context = model.contextLength();
  return {
    model: model.name,
    version,
    server,
    state,
    isServed: loadError === undefined || !contract.speaksTokens,
    isInner: false,
    ...(loadError === undefined ? {} : { reason: loadError }),
    contract: contract.kind,
    target: model.model,
    inputs: [...new Set(sent.flatMap(({ inputs }) => inputs.map(({ name }) => name)))],
    outputs: [...new Set(sent.flatMap(({ outputs = [] }) => outputs))],
    parameters: parametersOf(model, emulatesStructure),
    tokenizer: assets?.tokenizer?.source ?? '-',
    template: assets?.template?.source ?? '-',
    toolCallParser: formats?.tools?.name ?? 'none',
    reasoningParser: formats?.reasoning?.name ?? 'none',
    limits: { ...contract.limits, ...(context === undefined ? {} : { context }) },
    ...rowsOf(model, assets?.sentence),
    remarks: remarksOn(model, assets, formats),
  };
}

function assetErrorOf(model: NamedModel): Promise<string | undefined> {
  return model.assets().then(
    () => undefined,
    (error: unknown) => (error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)),
  );
}

function parametersOf({ contract }: ServedModel, emulatesStructure: boolean): NonNullable<Diagnosis['parameters']> {
  const supportOf = (name: ParameterName): Support => {
    const support = contract.support(name);
    const isEmulated = name === 'structured_outputs' && support.kind === 'refused' && emulatesStructure;
    return isEmulated ? { kind: 'emulated' } : support;
  };
  const supports = parameterNames.map((name) => ({ name, support: supportOf(name) }));
  const named = (kind: 'supported' | 'emulated') =>
    supports.filter(({ support }) => support.kind === kind).map(({ name }) => name);
  return {
    supported: named('supported'),
    emulated: named('emulated'),
    refused: supports.flatMap(({ name, support }) =>
      support.kind === 'refused' ? [{ name, reason: support.reason }] : [],
    ),
  };
}

/** Requests with every parameter of the contract, so that they have all its tensors. */
function requestsOf({ model, version, contract, loraTaskId }: ServedModel): InferRequest[] {
  const request = { ...fullRequest({ model, version, contract }), ...(loraTaskId === undefined ? {} : { loraTaskId }) };
  const { structure: _, logprobs: __, ...plain } = request;
  const followsBeams = contract.support('use_beam_search').kind !== 'refused';
  const beams = { width: 2, completions: 1, lengthPenalty: 0.5 };
  return [
    contract.encode(request),
    ...(followsBeams ? [contract.encode({ ...plain, beams })] : []),
    ...(contract.stopRequest && contract.speaksTokens ? [contract.stopRequest(request)] : []),
  ];
}

function fullRequest({
  model,
  version,
  contract,
}: Pick<ServedModel, 'model' | 'version' | 'contract'>): GenerateRequest {
  const takes = (parameter: ParameterName): boolean => contract.support(parameter).kind !== 'refused';
  const structure: Structure = { json: {} };
  return {
    id: 'doctor',
    model,
    version,
    prompt: 'x',
    ...(contract.speaksTokens
      ? {
          tokens: {
            prompt: Int32Array.of(0),
            eosIds: [0],
            padId: 0,
            stopWords: [[0]],
            badWords: [[0]],
            vocabularySize: 1,
          },
        }
      : {}),
    sampling: {
      maxTokens: 1,
      temperature: 0.5,
      topP: 0.5,
      topK: 2,
      seed: 1,
      ...(takes('min_p') ? { minP: 0.1 } : {}),
      ...(takes('min_tokens') ? { minTokens: 1 } : {}),
      ...(takes('repetition_penalty') ? { repetitionPenalty: 1.1 } : {}),
      ...(takes('frequency_penalty') ? { frequencyPenalty: 0.1 } : {}),
      ...(takes('presence_penalty') ? { presencePenalty: 0.1 } : {}),
      ...(takes('stop') ? { stop: ['x'] } : {}),
      ...(takes('bad_words') ? { badWords: ['x'] } : {}),
      ...(takes('logit_bias') ? { logitBias: { '0': 1 } } : {}),
      ...(takes('logits_post_processor_name') ? { logitsPostProcessorName: 'x' } : {}),
    },
    stream: true,
    ...(takes('structured_outputs') ? { structure } : {}),
    ...(takes('logprobs') ? { logprobs: takes('top_logprobs') ? 1 : 0 } : {}),
  };
}
