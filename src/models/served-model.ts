import type { AdapterPath, GenerationContract } from '../contracts/contract.ts';
import type { ModelContracts } from '../contracts/row-contracts.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { ServerGroup } from '../kserve/server-group.ts';
import type { StatusError } from '../kserve/status.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import type { SamplingDefaults } from '../requests/sampling.ts';
import type { ModelAdapters, SentAdapter } from './adapters.ts';
import type { VllmFolder } from './vllm-folder.ts';

/** A model that requests can name, with any capabilities. */
export interface NamedModel extends ModelContracts {
  /** The name that requests use. */
  readonly name: string;
  /** The model on the servers that is served under this name. */
  readonly root: string;
  /** The model that its requests go to: the root, or its engine. */
  readonly model: string;
  readonly version: string;
  /** The servers on which it is ready; never empty. */
  readonly group: ServerGroup;
  /** Seconds since 1970 at which it was first seen. */
  readonly created: number;
  readonly fingerprint: string;
  /** The source of its tokenizer, for people; `-` if it has none. */
  readonly tokenizerName: string;
  /** Loads tokenizer and chat template; rejects with an ApiError if they are invalid. */
  readonly assets: () => Promise<PromptAssets>;
  /** The same without waiting; undefined if they are not loaded. */
  readonly loadedAssets: () => PromptAssets | undefined;
  /** Learns from an error of its engine on a server. */
  learn?(server: InferenceServer, error: StatusError): void;
  /** Its configuration on the server. */
  readonly config?: ModelConfig;
  /** The facts from its files, if it is a vLLM model with a repository on this machine. */
  readonly vllm?: VllmFolder | undefined;
  /** The tokens of prompt and response together; undefined if unknown, or not known yet. */
  contextLength(): number | undefined;
}

/** A model that generates text, with everything that its requests need. */
export interface ServedModel extends NamedModel {
  readonly contract: GenerationContract;
  readonly defaults: SamplingDefaults;
  /** The system message of conversations without one. */
  readonly system?: string | undefined;
  /** The configured parsers, by name; undefined: detected from the chat template. */
  readonly toolCallParser: string | undefined;
  readonly reasoningParser: string | undefined;
  /** The configured description of tools for a chat template without them; `default`: that of Conch. */
  readonly toolPrompt?: string | undefined;
  /** The configured placeholder of an image in a prompt; undefined: detected from template and tokenizer. */
  readonly imagePlaceholder: string | undefined;
  /** The maximum number of images of a request; left out: not limited by the settings. */
  readonly mostImages?: number;
  /** Whether Conch enforces the context length, because the one of the engine is larger or unknown. */
  readonly enforcesContext?: boolean;
  /** The maximum number of characters that are buffered until it is clear whether they are a tool call. */
  readonly mostHeldOfCalls: number;
  /** How many instances of TensorRT-LLM's postprocessing it has, if any. */
  readonly postprocessors: number | undefined;
  /** The LoRA adapters that may follow its name. */
  readonly adapters: ModelAdapters;
  /** For a model with an adapter: the name of the model without it. */
  readonly parent?: string;
  /** Its LoRA adapter, by the name on the server. */
  readonly loraName?: string;
  /** Where the server has that adapter, if requests say so. */
  readonly adapterPath?: AdapterPath;
  /** Its LoRA adapter, by the number in the engine. */
  readonly loraTaskId: number | undefined;
  /** The same, if Conch has its weights. */
  readonly sentAdapter?: SentAdapter;
  /** Whether the server adds BOS to a prompt. */
  readonly addsSpecialTokens: boolean;
}

export function generatesText(model: NamedModel): model is ServedModel {
  return model.contract !== undefined;
}

/** One line of the model table. */
export interface ModelRow {
  readonly name: string;
  readonly version: string;
  readonly server: string;
  readonly contract: string;
  readonly tokenizer: string;
  readonly state: string;
  /** Why it is not served; empty if it is. */
  readonly reason: string;
  /** Whether it is part of another model, which is served instead. */
  readonly isInner?: boolean;
}
