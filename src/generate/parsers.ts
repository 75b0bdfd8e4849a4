import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import { findReasoningFormat, fittingReasoningFormat } from '../output/reasoning/formats.ts';
import type { ReasoningFormat, ReasoningOptions } from '../output/reasoning/reasoning-parser.ts';
import { SpecialTexts, type SpecialTree } from '../output/special-texts.ts';
import { findToolFormat, fittingToolFormat } from '../output/tools/formats.ts';
import { namedCallParser, requiredCallsParser } from '../output/tools/guided-calls.ts';
import type { OfferedTool, ToolFormat, ToolParser } from '../output/tools/tool-parser.ts';
import type { ChatTemplate } from '../prompt/chat-template.ts';
import type { ToolUse } from '../requests/tools.ts';
import type { AnswerParsers } from './answer-parts.ts';

/** How one model writes what is told from its text. */
export interface Formats {
  readonly tools: ToolFormat | undefined;
  readonly reasoning: ReasoningFormat | undefined;
}

/** Looking through a template takes longer than a request should, so it is done once. */
const known = new WeakMap<ChatTemplate, Formats>();

/** How a model writes its calls and its reasoning: what the operator says, else what its chat template tells. */
export function formatsOf(model: ServedModel, template: ChatTemplate): Formats {
  let fitting = known.get(template);
  if (!fitting) {
    fitting = { tools: fittingToolFormat(template.text), reasoning: fittingReasoningFormat(template.text) };
    known.set(template, fitting);
  }
  const { toolCallParser: tools, reasoningParser: reasoning } = model;
  return {
    tools: tools === undefined ? fitting.tools : findToolFormat(tools),
    reasoning: reasoning === undefined ? fitting.reasoning : findReasoningFormat(reasoning),
  };
}

/** The markers that the backend must keep in the text although they are special tokens. */
export function keptMarkers({ tools, reasoning }: Formats, use: ToolUse | undefined): readonly string[] {
  return [...(use?.mode === 'auto' ? (tools?.specialMarkers ?? []) : []), ...(reasoning?.specialMarkers ?? [])];
}

/** The markers that it must keep too where they are special tokens of the model's own vocabulary. */
export function otherMarkers({ tools, reasoning }: Formats, use: ToolUse | undefined): readonly string[] {
  return [...(use?.mode === 'auto' ? (tools?.otherMarkers ?? []) : []), ...(reasoning?.otherMarkers ?? [])];
}

interface ParserOptions {
  readonly model: ServedModel;
  readonly formats: Formats;
  readonly use: ToolUse | undefined;
  /** The texts of special tokens that are to be taken out of the text; undefined: the backend does that. */
  readonly specials: SpecialTree | undefined;
  readonly opening: ReasoningOptions;
}

/** The parsers of an answer; undefined where all of it is text. */
export function parsersFor({ model, formats, use, specials, opening }: ParserOptions): AnswerParsers | undefined {
  const { tools, reasoning } = formats;
  if (!use && !reasoning) return undefined;
  return {
    newReasoning: () => reasoning?.parser(opening),
    newTools: () => use && toolParser(use, tools, model),
    newSpecials: () => specials && new SpecialTexts(specials),
    idStyle: tools?.idStyle ?? 'openai',
    isSingleCall: use !== undefined && !use.isParallel,
    needsSteps: reasoning !== undefined || (use !== undefined && !use.isParallel),
  };
}

/** More than any template writes to open the answer. */
const longestOpening = 200;

/** Where an answer begins: at the end of its prompt, which may have opened the reasoning. */
export function openingOf(prompt: string, continued: string | undefined): ReasoningOptions {
  if (continued === undefined) return { prompt: prompt.slice(-longestOpening) };
  return { prompt: prompt.slice(-longestOpening - continued.length), continued };
}

function toolParser(use: ToolUse, format: ToolFormat | undefined, { mostHeldOfCalls }: ServedModel): ToolParser {
  const offered = use.tools.map(
    ({ function: { name, parameters } }): OfferedTool => ({
      name,
      parameters: parameters ?? undefined,
    }),
  );
  const options = { tools: offered, mostHeld: mostHeldOfCalls };
  if (typeof use.mode === 'object') return namedCallParser(use.mode.name, options);
  if (use.mode === 'required') return requiredCallsParser(options);
  if (!format) throw new Error('Tools were offered to a model whose calls cannot be read.');
  return format.parser(options);
}

/** Refuses tools by name where the model cannot take them, or its calls could not be read. */
export function refuseTools(
  model: ServedModel,
  template: ChatTemplate,
  { tools: format }: Formats,
  use: ToolUse,
): void {
  if (!template.mentions('tools')) throw refusal("tools: this model's chat template has no place for them.", 'tools');
  if (use.mode !== 'auto') return;
  if (!format)
    throw refusal(
      `tools: no parser of tool calls is known for this model; start Conch with --tool-call-parser ${model.name}=NAME.`,
      'tools',
    );
  if (!keepsMarkers(model, format))
    throw refusal(
      'tools: this model writes its calls with special tokens, which its server takes out of the text. ' +
        'tool_choice required or a named function work where answers can be guided.',
      'tools',
    );
}

/** Whether what marks the calls or the reasoning is there to be read: some servers take special tokens out of the text. */
export function keepsMarkers(
  { contract }: ServedModel,
  format: Pick<ToolFormat, 'specialMarkers'> | undefined,
): boolean {
  return contract.support('skip_special_tokens').kind !== 'refused' || (format?.specialMarkers.length ?? 0) === 0;
}

function refusal(message: string, param: string): ApiError {
  return new ApiError('unsupported_parameter', message, { param });
}
