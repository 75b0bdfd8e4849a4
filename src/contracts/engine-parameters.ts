import type { ParameterName, Support } from './contract.ts';
import { refused } from './declared-inputs.ts';

/** The parameters that only Conch's own vLLM model has inputs for. */
const engineParameters = [
  'prompt_logprobs',
  'logprob_token_ids',
  'priority',
  'cache_salt',
  'thinking_token_budget',
  'repetition_detection',
  'vllm_xargs',
  'mm_processor_kwargs',
  'structural_tag',
  'guided_whitespace_pattern',
] as const satisfies readonly ParameterName[];

/** The parameters that need a contract with token ids. */
const idParameters = ['return_token_ids', 'truncate_prompt_tokens'] as const satisfies readonly ParameterName[];

type EngineParameter = (typeof engineParameters)[number] | (typeof idParameters)[number];

const idNames: ReadonlySet<string> = new Set(idParameters);
const names: ReadonlySet<string> = new Set([...engineParameters, ...idParameters]);

export function isEngineParameter(parameter: ParameterName): parameter is EngineParameter {
  return names.has(parameter);
}

/** How a contract other than that of Conch's own model treats them. */
export function engineParameterSupport(
  parameter: EngineParameter,
  { speaksTokens }: { readonly speaksTokens: boolean },
): Support {
  if (!idNames.has(parameter))
    return refused("Only Conch's own vLLM model supports it. Create one with conch repo init vllm --conch.");
  return speaksTokens ? { kind: 'emulated' } : refused('It needs token ids, but this model takes and returns text.');
}
