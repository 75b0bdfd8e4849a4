import { engineParameterNames, idParameterNames, type ParameterName, type Support } from './contract.ts';
import { refused } from './declared-inputs.ts';

type EngineParameter = (typeof engineParameterNames)[number] | (typeof idParameterNames)[number];

const idNames: ReadonlySet<string> = new Set(idParameterNames);
const names: ReadonlySet<string> = new Set([...engineParameterNames, ...idParameterNames]);

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
