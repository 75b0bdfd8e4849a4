import type { GenerationContract } from '../contracts/contract.ts';
import type { ModelContracts } from '../contracts/row-contracts.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { ServerGroup } from '../kserve/server-group.ts';
import type { StatusError } from '../kserve/status.ts';
import type { PromptAssets } from '../prompt/assets.ts';
import type { SamplingDefaults } from '../requests/sampling.ts';
import type { ModelAdapters, SentAdapter } from './adapters.ts';
import type { VllmFolder } from './vllm-folder.ts';

/** A model that requests can name: what is known of every one, whatever it can do. */
export interface NamedModel extends ModelContracts {
  /** The name that requests use. */
  readonly name: string;
  /** The model on the servers that is served under this name. */
  readonly root: string;
  /** The model that its requests go to: the engine, where that stands behind the root. */
  readonly model: string;
  readonly version: string;
  /** The servers on which it is ready; never empty. */
  readonly group: ServerGroup;
  /** Seconds since 1970 at which it was first seen. */
  readonly created: number;
  readonly fingerprint: string;
  /** Where its tokenizer comes from, for people; `-` when it has none. */
  readonly tokenizerName: string;
  /** Tokenizer and chat template; rejects with an ApiError that says what is wrong with them. */
  readonly assets: () => Promise<PromptAssets>;
  /** The same where they are loaded, without waiting. */
  readonly loadedAssets: () => PromptAssets | undefined;
  /** Takes over what an error of its engine on a server says of it. */
  learn?(server: InferenceServer, error: StatusError): void;
  /** Its configuration, as its server has it. */
  readonly config?: ModelConfig;
  /** What its files say, where it is a vLLM model whose repository is on this machine. */
  readonly vllm?: VllmFolder | undefined;
  /** Prompt and answer together; undefined where nobody says, or not yet. */
  contextLength(): number | undefined;
}

/** A model that generates text, with all that is needed to speak to it. */
export interface ServedModel extends NamedModel {
  readonly contract: GenerationContract;
  readonly defaults: SamplingDefaults;
  /** The system message of conversations that bring none. */
  readonly system?: string | undefined;
  /** The parsers that the operator has set, by name; undefined: found from the chat template. */
  readonly toolCallParser: string | undefined;
  readonly reasoningParser: string | undefined;
  /** What the operator has set to stand for an image in a prompt; undefined: found from template and tokenizer. */
  readonly imagePlaceholder: string | undefined;
  /** The most characters of a tool call that are held back before it is known what they are. */
  readonly mostHeldOfCalls: number;
  /** How many instances of TensorRT-LLM's postprocessing answer for it, where they do. */
  readonly postprocessors: number | undefined;
  /** The LoRA adapters that may stand behind its name. */
  readonly adapters: ModelAdapters;
  /** The name of the model that an adapter stands behind. */
  readonly parent?: string;
  /** The LoRA adapter that it stands for, by its name on the server. */
  readonly loraName?: string;
  /** The LoRA adapter that it stands for, by its number in the engine. */
  readonly loraTaskId: number | undefined;
  /** The same, where its weights are at hand. */
  readonly sentAdapter?: SentAdapter;
  /** Whether the server puts BOS before a prompt by itself. */
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
  /** Why it is not offered; empty when it is. */
  readonly reason: string;
  /** Whether it is a part of another model, which is offered in its place. */
  readonly isInner?: boolean;
}
