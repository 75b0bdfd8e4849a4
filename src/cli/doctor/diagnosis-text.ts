import { rowAbilities } from '../../models/abilities.ts';
import type { Diagnosis } from './diagnosis.ts';
import { rowsText } from './rows-diagnosis.ts';

/** A diagnosis as text. */
export function diagnosisText(diagnosis: Diagnosis): string {
  const { model, version, server, state, contract } = diagnosis;
  const title = `${model}${version === '' ? '' : ` version ${version}`} on ${server}: ${verdict(diagnosis)}`;
  if (contract === undefined) return diagnosis.reason ? `${title}\n${row('why', diagnosis.reason)}` : title;
  const { target, inputs = [], outputs = [], limits = {}, parameters } = diagnosis;
  return [
    title,
    row('state', state),
    row('contract', `${contract}${target === model ? '' : `, direct to ${target}`}`),
    row('why', why[contract] ?? ''),
    row('inputs', inputs.join(', ')),
    row('outputs', outputs.join(', ')),
    row('tokenizer', diagnosis.tokenizer ?? '-'),
    ...(parameters
      ? [
          row('template', diagnosis.template ?? '-'),
          row('parsers', `tools: ${diagnosis.toolCallParser}; reasoning: ${diagnosis.reasoningParser}`),
        ]
      : []),
    row('limits', limitsText(limits)),
    ...(parameters ? parameterRows(parameters) : []),
    ...Object.values(rowAbilities).flatMap(({ name, doctor }) =>
      diagnosis[name] ? [row(doctor.title, rowsText(diagnosis[name]))] : [],
    ),
    ...(diagnosis.reason === undefined ? [] : [row('error', diagnosis.reason)]),
    ...diagnosis.remarks.map((remark, at) => row(at === 0 ? 'remarks' : '', remark)),
    ...(diagnosis.facts ? [row('found', factsText(diagnosis.facts))] : []),
    ...(diagnosis.probe ? probeRows(diagnosis.probe) : []),
  ].join('\n');
}

function parameterRows({ supported, emulated, refused }: NonNullable<Diagnosis['parameters']>): string[] {
  return [
    row('supported', supported.join(', ') || '-'),
    row('emulated', emulated.join(', ') || '-'),
    ...byReason(refused).map(([reason, names], at) =>
      row(at === 0 ? 'rejected' : '', `${names.join(', ')}: ${reason}`),
    ),
  ];
}

/** Rejected parameters, those with the same reason together. */
function byReason(refused: readonly { readonly name: string; readonly reason: string }[]): [string, string[]][] {
  const reasons = new Map<string, string[]>();
  for (const { name, reason } of refused) reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  return [...reasons];
}

function verdict({ isServed, isInner }: Diagnosis): string {
  if (isServed) return 'served';
  return isInner ? 'served as part of another model' : 'NOT SERVED';
}

/** How Conch detects each contract from a model's configuration. */
const why: Readonly<Record<string, string>> = {
  vllm: 'it takes text_input and sampling_parameters and returns text_output',
  trtllm: 'it takes text_input and max_tokens, with a batch dimension, and returns text_output',
  'trtllm-tokens': 'its engine takes input_ids, input_lengths and request_output_len, and there is a tokenizer',
  'conch-tokens': 'it takes input_ids and sampling_params and returns token_ids',
  llmapi: 'it takes text_input and inputs that begin with sampling_param_',
  ...Object.fromEntries(Object.values(rowAbilities).map(({ name, doctor }) => [name, doctor.why])),
};

function limitsText({ context, prompt, beamWidth, vocabulary }: NonNullable<Diagnosis['limits']>): string {
  const known = [
    context === undefined ? '' : `context ${context} tokens`,
    prompt === undefined ? '' : `prompt ${prompt} tokens`,
    beamWidth === undefined ? '' : `${beamWidth} beams`,
    vocabulary === undefined ? '' : `vocabulary of ${vocabulary}`,
  ].filter((text) => text !== '');
  return known.join(', ') || 'unknown';
}

function factsText({ text, embeddings, images, context }: NonNullable<Diagnosis['facts']>): string {
  const length = context === null ? 'unknown' : `${context} tokens`;
  return `text: ${text}; embeddings: ${embeddings}; images: ${images}; context: ${length}`;
}

function probeRows({ text, timing, error }: NonNullable<Diagnosis['probe']>): string[] {
  return [row('probe', error === undefined ? timing : `failed: ${error}`), row('', JSON.stringify(text))];
}

function row(title: string, value: string): string {
  return `  ${title.padEnd(10)}${value}`;
}
