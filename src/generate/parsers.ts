import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import { findReasoningFormat, fittingReasoningFormat } from '../output/reasoning/formats.ts';
import type { ReasoningFormat, ReasoningOptions } from '../output/reasoning/reasoning-parser.ts';
import { SpecialTexts, type SpecialTree } from '../output/special-texts.ts';
import { findToolFormat, fittingToolFormat } from '../output/tools/formats.ts';
import { callsOrTextParser, namedCallParser, requiredCallsParser } from '../output/tools/guided-calls.ts';
import { hermes } from '../output/tools/hermes.ts';
import type { OfferedTool, ToolFormat, ToolParser } from '../output/tools/tool-parser.ts';
import type { ChatTemplate } from '../prompt/chat-template.ts';
import type { ToolUse } from '../requests/tools.ts';
import type { ResponseParsers } from './response-parts.ts';
import { usesToolPrompt } from './tool-prompt.ts';

/** How one model writes its tool calls and its reasoning. */
export interface Formats {
  readonly tools: ToolFormat | undefined;
  readonly reasoning: ReasoningFormat | undefined;
}

/** Searching a template is slow, so it is done once. */
const known = new WeakMap<ChatTemplate, Formats>();

/** The formats of a model: set by the operator, else detected from its chat template. */
export function formatsOf(model: ServedModel, template: ChatTemplate): Formats {
  let fitting = known.get(template);
  if (!fitting) {
    fitting = { tools: fittingToolFormat(template.text), reasoning: fittingReasoningFormat(template.text) };
    known.set(template, fitting);
  }
  const { toolCallParser: tools, reasoningParser: reasoning } = model;
  const usual = usesToolPrompt(model, template) ? hermes : fitting.tools;
  return {
    tools: tools === undefined ? usual : findToolFormat(tools),
    reasoning: reasoning === undefined ? fitting.reasoning : findReasoningFormat(reasoning),
  };
}

/** The markers that the backend must keep in the text although they are special tokens. */
export function requiredMarkers({ tools, reasoning }: Formats, use: ToolUse | undefined): readonly string[] {
  return [...(use?.mode === 'auto' ? (tools?.specialMarkers ?? []) : []), ...(reasoning?.specialMarkers ?? [])];
}

/** The markers that the backend must keep only if they are special tokens of the model's vocabulary. */
export function otherMarkers({ tools, reasoning }: Formats, use: ToolUse | undefined): readonly string[] {
  return [...(use?.mode === 'auto' ? (tools?.otherMarkers ?? []) : []), ...(reasoning?.otherMarkers ?? [])];
}

interface ParserOptions {
  readonly model: ServedModel;
  readonly formats: Formats;
  readonly use: ToolUse | undefined;
  /** The texts of special tokens that Conch removes from the text; undefined: the backend does that. */
  readonly specials: SpecialTree | undefined;
  readonly opening: ReasoningOptions;
}

/** The parsers of a response; undefined if all of it is text. */
export function parsersFor({ model, formats, use, specials, opening }: ParserOptions): ResponseParsers | undefined {
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

/** More characters than any template writes to open a response. */
const longestOpening = 200;

/** Where a response starts: at the end of its prompt, which may have opened the reasoning. */
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
  if (use.mode === 'guided') return callsOrTextParser(options);
  if (!format) throw new Error('Tools were offered to a model whose calls cannot be read.');
  return format.parser(options);
}

/** The tools that a model gets, and the ignored fields of the request. */
export interface OfferedTools {
  readonly use: ToolUse | undefined;
  readonly ignored: readonly string[];
}

/**
 * Drops tools that the model may call or not, if its chat template does not support tools: some clients send tools with
 * every request. Refuses tools that it must call. Without the template, it is unknown whether they are dropped.
 */
export function offeredTools(
  use: ToolUse | undefined,
  { model, template, isStrict }: { model: ServedModel; template: ChatTemplate | undefined; isStrict: boolean },
): OfferedTools {
  if (!template) return { use: use?.mode === 'auto' ? undefined : use, ignored: [] };
  if (!use || template.mentions('tools') || usesToolPrompt(model, template)) return { use, ignored: [] };
  if (use.mode === 'auto' && !isStrict) return { use: undefined, ignored: ['tools'] };
  throw refusal(
    `tools: not supported by this model's chat template. Start Conch with --tool-prompt ${model.name}=default.`,
    'tools',
  );
}

/** Refuses tools if Conch cannot parse the calls of the model. */
export function refuseTools(model: ServedModel, { tools: format }: Formats, use: ToolUse): void {
  if (use.mode !== 'auto') return;
  if (!format)
    throw refusal(
      `tools: no tool parser is known for this model. Start Conch with --tool-call-parser ${model.name}=NAME.`,
      'tools',
    );
  if (!keepsMarkers(model, format))
    throw refusal(
      'tools: this model writes tool calls with special tokens, which its server removes from the text. ' +
        'Set tool_choice to required or to a function, if the backend supports guided decoding.',
      'tools',
    );
}

/** Whether the markers of calls or reasoning are in the text: some servers remove special tokens from it. */
export function keepsMarkers(
  { contract }: ServedModel,
  format: Pick<ToolFormat, 'specialMarkers'> | undefined,
): boolean {
  return contract.support('skip_special_tokens').kind !== 'refused' || (format?.specialMarkers.length ?? 0) === 0;
}

function refusal(message: string, param: string): ApiError {
  return new ApiError('unsupported_parameter', message, { param });
}
