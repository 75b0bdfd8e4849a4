import type { EngineFailure } from '../kserve/engines.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { ServerGroup } from '../kserve/server-group.ts';
import type { ModelHints } from './fit.ts';
import type { ModelRow, NamedModel, ServedModel } from './served-model.ts';
import type { VllmFolder } from './vllm-folder.ts';

/** What the registry needs from outside. */
export interface RegistryOptions {
  readonly servers: readonly InferenceServer[];
  /** Milliseconds between two looks at a server. */
  readonly refreshInterval: number;
  /** The servers that have a model ready as the one that its requests go to; the model goes by its name on them. */
  groupOf(model: string, servers: readonly InferenceServer[]): ServerGroup;
  /** The settings of a model that decide its contract. */
  hints(model: string): ModelHints;
  /** What stands between a model and its LoRA adapter in a name. */
  readonly loraSeparator: string;
  /** Further names under which a model is served; they come before the servers' own. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Everything about a served model that the servers do not tell. */
  describe(found: FoundServedModel): NamedModel;
  /** Whether a model that is in a repository is loaded when it is asked for. */
  readonly loadsOnDemand?: boolean;
  /** What `describe` reads for a served name, as a text: where it has changed, the model is described anew. */
  basisOf?(name: string): string;
  onChange?(rows: readonly ModelRow[]): void;
  /** How the engine of a model has failed on a server; undefined: it has not. The model goes by its name there. */
  engineFailure?(server: InferenceServer, model: string): EngineFailure | undefined;
  /** What Conch does about a failed engine, as a sentence. */
  readonly engineOutlook?: string;
  onServer?(server: string, fault: Error | undefined): void;
  /** Called after every look at a server. */
  onLook?(server: InferenceServer, fault: Error | undefined): void;
}

/** What the servers tell of a model that can be served. */
export interface FoundServedModel
  extends Pick<NamedModel, 'name' | 'root' | 'model' | 'version' | 'contract' | 'rows' | 'group' | 'created' | 'learn'>,
    Pick<ServedModel, 'postprocessors'> {
  readonly config: ModelConfig;
  /** Where the model's own configuration says that its tokenizer is. */
  readonly tokenizerDirectory: string | undefined;
  /** What the files of a vLLM model say, where they can be read here. */
  readonly vllm?: VllmFolder | undefined;
  /** The context length that its engine has told by refusing a prompt. */
  readonly learnedContext?: number | undefined;
  /** The same model before something was learnt of it: what it has loaded still holds. */
  readonly loadedAs?: Pick<NamedModel, 'assets' | 'loadedAssets'> | undefined;
}
