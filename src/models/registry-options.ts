import type { EngineFailure } from '../kserve/engines.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { ServerGroup } from '../kserve/server-group.ts';
import type { ModelHints } from './fit.ts';
import type { ModelRow, NamedModel, ServedModel } from './served-model.ts';
import type { VllmFolder } from './vllm-folder.ts';

/** Options of the registry. */
export interface RegistryOptions {
  readonly servers: readonly InferenceServer[];
  /** Milliseconds between two looks at a server. */
  readonly refreshInterval: number;
  /** The group that serves the requests of a model, by its name on the servers. */
  groupOf(model: string, servers: readonly InferenceServer[]): ServerGroup;
  /** The settings of a model that decide its contract. */
  hints(model: string): ModelHints;
  /** The separator between a model and its LoRA adapter in a name. */
  readonly loraSeparator: string;
  /** Aliases of models; they take precedence over the servers' own names. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Models that a server must have by the settings (--triton-model). */
  readonly expectedModels?: readonly string[];
  /** Adds everything about a served model that does not come from the servers. */
  describe(found: FoundServedModel): NamedModel;
  /** Whether a model of a repository is loaded when it is requested. */
  readonly loadsOnDemand?: boolean;
  /** What `describe` depends on for a served name, as JSON: when it changes, the model is described again. */
  basisOf?(name: string): string;
  onChange?(rows: readonly ModelRow[]): void;
  /** How the engine of a model, by its name on a server, has failed there; undefined: it has not. */
  engineFailure?(server: InferenceServer, model: string): EngineFailure | undefined;
  /** What happens next to a failed engine, as a sentence. */
  readonly engineOutlook?: string;
  onServer?(server: string, error: Error | undefined): void;
  /** Called after every look at a server. */
  onLook?(server: InferenceServer, error: Error | undefined): void;
}

/** What the servers report of a model that can be served. */
export interface FoundServedModel
  extends Pick<NamedModel, 'name' | 'root' | 'model' | 'version' | 'contract' | 'rows' | 'group' | 'created' | 'learn'>,
    Pick<ServedModel, 'postprocessors'> {
  readonly config: ModelConfig;
  /** The tokenizer directory of the model's own configuration. */
  readonly tokenizerDirectory: string | undefined;
  /** The facts from the files of a vLLM model, if they are on this machine. */
  readonly vllm?: VllmFolder | undefined;
  /** The context length from its engine's error for a long prompt. */
  readonly learnedContext?: number | undefined;
  /** The same model before new facts were learned: its loaded assets stay valid. */
  readonly loadedAs?: Pick<NamedModel, 'assets' | 'loadedAssets'> | undefined;
}
