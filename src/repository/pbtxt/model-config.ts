import { protocol } from '../../kserve/control-codec.ts';
import type { ModelConfig } from '../../kserve/messages.ts';
import { type ReadResult, readTextFormat } from './read-text-format.ts';
import { type WritableMessage, writeTextFormat } from './write-text-format.ts';

/** A configuration file, with fields that servers do not return. */
export interface ModelConfigFile extends ModelConfig {
  readonly default_model_filename: string;
  readonly version_policy?: {
    readonly latest?: { readonly num_versions: number };
    readonly all?: Readonly<Record<string, never>>;
    readonly specific?: { readonly versions: readonly number[] };
  };
  readonly ensemble_scheduling?: { readonly step: readonly EnsembleStep[] };
}

/** One step of an ensemble: both maps lead from a tensor of the model to a tensor of the ensemble. */
export interface EnsembleStep {
  readonly model_name: string;
  readonly model_version: number;
  readonly input_map: Readonly<Record<string, string>>;
  readonly output_map: Readonly<Record<string, string>>;
}

/** A parsed config.pbtxt, with the position of each field. */
export interface ReadModelConfig extends Pick<ReadResult, 'positions' | 'repeatedKeys'> {
  /** As servers return it: every scalar is present, 64-bit integers are numbers, enums are names. */
  readonly config: ModelConfigFile;
}

/** Reads a config.pbtxt. Throws a TextFormatError that names file, line and column. */
export function readModelConfig(text: string, file: string): ReadModelConfig {
  const type = protocol().lookupType('inference.ModelConfig');
  const { message, ...rest } = readTextFormat(text, { type, file });
  return { config: completeModelConfig(message), ...rest };
}

/** Fills in the defaults of all scalars that a configuration leaves out. */
export function completeModelConfig(message: WritableMessage): ModelConfigFile {
  const type = protocol().lookupType('inference.ModelConfig');
  const options = { longs: Number, enums: String, defaults: true, bytes: Buffer };
  return type.toObject(type.fromObject(message), options) as ModelConfigFile;
}

/** Writes a config.pbtxt with the fields that are set. */
export function writeModelConfig(config: WritableMessage): string {
  return writeTextFormat(config, protocol().lookupType('inference.ModelConfig'));
}
