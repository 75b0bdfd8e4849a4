import type { StructureOptions } from '../contracts/contract.ts';
import { ApiError } from '../errors.ts';
import type { ServedModel } from '../models/served-model.ts';
import { type RequestedStructure, type StructureRequest, structureOptionsOf } from '../requests/structure.ts';
import type { GenerationPlan } from './plan.ts';
import type { Emulation } from './structured-emulation.ts';
import { refuseUnsupported } from './support.ts';
import { type ReportFields, reportsOf, type TokenReports } from './token-reports.ts';
import { type Tokenization, type TokenizationFields, tokenizationOf } from './tokenization.ts';

interface OptionFields extends StructureRequest, ReportFields, TokenizationFields {}

/** What is decided already. */
interface OptionFacts extends Pick<GenerationPlan, 'sampling' | 'beams' | 'logprobs'> {
  readonly model: ServedModel;
  /** The structure that the backend guides to. */
  readonly structure: RequestedStructure | undefined;
  /** The structure that Conch checks instead. */
  readonly emulation: Emulation | undefined;
  /** The logprobs of a prompt that the response starts with. */
  readonly echoedLogprobs?: number | undefined;
}

/** What chats and completions decide in the same way, besides the sampling. */
interface RequestOptions {
  readonly structureOptions: StructureOptions | undefined;
  readonly tokenization: Tokenization | undefined;
  readonly reports: TokenReports | undefined;
}

/** Reads these options of a request, and refuses parameters that the model's contract does not support. */
export function requestOptions(request: OptionFields, facts: OptionFacts, api: 'chat' | 'completions'): RequestOptions {
  const { model, sampling, beams, logprobs, structure, emulation, echoedLogprobs } = facts;
  const structureOptions = structureOptionsOf(request);
  const reports = reportsOf(request, { echoedLogprobs, maxTokens: sampling.maxTokens });
  const parameters = { sampling, beams, logprobs, reports, structure, structureOptions };
  refuseUnsupported(model, parameters, api === 'chat' ? 'top_logprobs' : 'logprobs');
  if (structureOptions && !structure && !emulation) throw withoutStructure(structureOptions.field);
  const tokenization = tokenizationOf(request, { model, usual: api === 'completions' });
  return { structureOptions: structureOptions?.options, tokenization, reports };
}

function withoutStructure(param: string): ApiError {
  return new ApiError('invalid_request', `${param}: only allowed with a structured output.`, { param });
}
