import type { ModelConfig } from '../kserve/messages.ts';

/** A parameter of a configuration; one whose template was never filled in counts as not set. */
export function parameterOf({ parameters }: Pick<ModelConfig, 'parameters'>, name: string): string | undefined {
  const value = parameters[name]?.string_value;
  return value === undefined || value === '' || /^\$\{.*\}$/.test(value) ? undefined : value;
}

/** Whether a parameter reads as yes, as the Python of NVIDIA's models reads it; undefined where it is not set. */
export function isYes(value: string | undefined): boolean | undefined {
  return value === undefined ? undefined : ['true', 'yes', '1', 'on', 't', 'y'].includes(value.toLowerCase());
}
