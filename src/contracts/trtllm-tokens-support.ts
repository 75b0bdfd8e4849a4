import type { ModelConfig } from '../kserve/messages.ts';
import type { Limits, ParameterName, Support } from './contract.ts';
import { DeclaredInputs, onlyOnLlmapi, refused } from './declared-inputs.ts';
import { engineParameterSupport, isEngineParameter } from './engine-parameters.ts';
import { isYes, parameterOf } from './parameters.ts';
import { engineNames, isSamplingName, structureSupport } from './trtllm-inputs.ts';

/** The output that logprobs are made from. */
export type LogprobSource = 'output_log_probs' | 'generation_logits';

/** What not every release and not every engine can do. */
export interface EngineAbilities {
  /** The output that has the logprob of a chosen token. */
  readonly logprobs: LogprobSource | undefined;
  readonly givesLogits: boolean;
  /** Whether a response that is not streamed begins with the prompt, and no input can change that. */
  readonly echoesPrompt: boolean;
  readonly followsBeams: boolean;
}

export function engineAbilities(
  config: ModelConfig,
  { limits, gathersLogits }: { readonly limits: Limits; readonly gathersLogits: boolean },
): EngineAbilities {
  const inputs = new DeclaredInputs(config);
  const outputs = new Set(config.output.map(({ name }) => name));
  const givesLogits = gathersLogits && inputs.has(['return_generation_logits']) && outputs.has('generation_logits');
  const givesLogprobs = inputs.has(['return_log_probs']) && outputs.has('output_log_probs');
  const isExact = givesLogprobs && !normalizesLogprobs(config, inputs);
  return {
    logprobs: isExact ? 'output_log_probs' : givesLogits ? 'generation_logits' : undefined,
    givesLogits,
    echoesPrompt: !inputs.has(['exclude_input_in_output']) && !isYes(parameterOf(config, 'exclude_input_in_output')),
    followsBeams: limits.beamWidth !== 1,
  };
}

/** Whether logprobs are divided by the length of the response: up to 1.2, unless a parameter turns it off. */
function normalizesLogprobs(config: ModelConfig, inputs: DeclaredInputs): boolean {
  const setting = isYes(parameterOf(config, 'normalize_log_probs'));
  if (setting !== undefined) return setting;
  return !inputs.has(['prompt_ignore_length']) && !inputs.isOfType('early_stopping', 'TYPE_INT32');
}

export function engineSupport(parameter: ParameterName, inputs: DeclaredInputs, abilities: EngineAbilities): Support {
  if (parameter === 'use_beam_search' && !abilities.followsBeams)
    return refused('This engine supports only one beam: its model sets max_beam_width to 1.');
  if (isSamplingName(parameter)) return inputs.support(engineNames[parameter]);
  if (isEngineParameter(parameter)) return engineParameterSupport(parameter, { speaksTokens: true });
  switch (parameter) {
    case 'bad_words':
      return inputs.support(['bad_words_list']);
    case 'stop_token_ids':
      return inputs.support(['stop_words_list']);
    case 'logit_bias':
      return inputs.support(['embedding_bias']);
    case 'allowed_token_ids': {
      const support = inputs.support(['embedding_bias']);
      return support.kind === 'refused' ? support : { kind: 'emulated' };
    }
    case 'structured_outputs':
      return structureSupport(inputs);
    case 'stop':
      // Other tokens may spell the text: it is looked for here as well.
      return { kind: inputs.has(['stop_words_list']) ? 'supported' : 'emulated' };
    case 'ignore_eos':
      return { kind: 'supported' };
    case 'include_stop_str_in_output':
    case 'skip_special_tokens':
    case 'spaces_between_special_tokens':
      return { kind: 'emulated' };
    case 'logprobs':
      return abilities.logprobs ? { kind: 'supported' } : refused(whyNoLogprobs(inputs));
    case 'top_logprobs':
      if (abilities.givesLogits) return { kind: 'supported' };
      return refused('The engine returns alternative tokens only if it is built with gather_generation_logits.');
    case 'logits_post_processor_name':
      return onlyOnLlmapi;
    case 'min_p':
      return refused('TensorRT-LLM has no input for it.');
  }
}

function whyNoLogprobs(inputs: DeclaredInputs): string {
  if (!inputs.has(['return_log_probs'])) return 'This engine returns no logprobs.';
  return (
    'This engine divides logprobs by the length of the response, as TensorRT-LLM does up to 1.2. ' +
    'Set normalize_log_probs to false in its config.pbtxt.'
  );
}
