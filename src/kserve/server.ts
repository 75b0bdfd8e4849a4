import type { RequestWatch } from '../request-watch.ts';
import type { Signal } from '../signal.ts';
import type { Tokenizer } from '../tokenizer.ts';
import type { ControlCalls, ControlMethod } from './messages.ts';
import type { Datatype, Tensor } from './tensors.ts';

/** A parameter of a request or response. Whole numbers are int64, other numbers double. */
export type ParameterValue = string | number | boolean;

/** One inference, in the terms of the v2 protocol. */
export interface InferRequest {
  readonly model: string;
  /** Empty or undefined: the newest ready version. */
  readonly version?: string;
  readonly id: string;
  readonly parameters?: Readonly<Record<string, ParameterValue>>;
  readonly inputs: readonly Tensor[];
  /** The requested outputs; default: all. */
  readonly outputs?: readonly string[];
  /** Requests this many best classes of an output, as texts `value:index:label` (the classification extension). */
  readonly classes?: number;
  /**
   * The same request as the bytes of a ModelInferRequest, if it arrived as bytes. A remote server gets these: they also
   * contain, for example, shared memory and the exact type of each parameter.
   */
  readonly wire?: Uint8Array;
}

/** An output tensor without its data, which `InferResponse.raw` gives. */
export interface OutputDescription {
  readonly name: string;
  readonly datatype: Datatype;
  readonly shape: readonly number[];
}

/** One response of an inference. A decoupled model sends any number of them. */
export interface InferResponse {
  readonly model: string;
  readonly version: string;
  readonly id: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Whether the server marked this as the last response of its request. */
  readonly final: boolean;
  readonly outputs: readonly OutputDescription[];
  /** The same response as the bytes of a ModelInferResponse, if it arrived as bytes. */
  readonly wire?: Uint8Array;
  /** The raw bytes of the output of this name, or undefined when the response does not carry it. */
  raw(name: string): Buffer | undefined;
  /** The first element of a BYTES output; an empty tensor reads as the empty text. */
  text(name: string): string | undefined;
  /** The first element of a UINT32 output. */
  uint32(name: string): number | undefined;
  /** The same response for use after the call: a stream may reuse one object for all responses. */
  detached(): InferResponse;
}

/** Receives the responses of an inference, synchronously, as they are read. */
export interface ResponseSink {
  /** The response is valid during the call; `detached()` is valid for longer. */
  response(response: InferResponse): void;
  /** Called once at the end, with the StatusError of a failed inference. The last call. */
  end(error?: unknown): void;
}

/** An inference that was started. All calls are allowed at any time; after the end they do nothing. */
export interface RunningInference {
  /** Pauses the server. What it has already sent still arrives. */
  pause(): void;
  resume(): void;
  /** Cancels it. With an error, the sink gets the error; without one, the sink gets no more calls. */
  cancel(error?: unknown): void;
}

/** Options of a call. */
export interface CallOptions {
  readonly signal?: Signal;
  /** Milliseconds after which the call fails with DEADLINE_EXCEEDED; default: no limit. */
  readonly timeout?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Observes the inference, if the server supports it. */
  readonly watch?: RequestWatch;
}

/**
 * Anything that runs models with the v2 protocol: a remote Triton server, a managed one, or the embedded engine. Every
 * failure is a StatusError.
 */
export interface InferenceServer {
  /** Its display name: the address, or `embedded`. */
  readonly name: string;
  /** Its kind, if it is no remote server. */
  readonly kind?: 'embedded' | 'managed';
  /** Its model repositories, if they are folders on this machine. */
  readonly repositories?: readonly string[];
  /** Any call but inference: health, metadata, configuration, repository, statistics and settings. */
  call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options?: CallOptions,
  ): Promise<ControlCalls[Method]['response']>;
  /** One request, one response. Decoupled models reject it. */
  infer(request: InferRequest, options?: CallOptions): Promise<InferResponse>;
  /**
   * One request, any number of responses. The sink is not called before this returns. It gets every failure, also one
   * that is known at once. Aborting the signal ends the inference with CANCELLED.
   */
  stream(request: InferRequest, sink: ResponseSink, options?: CallOptions): RunningInference;
  /** The tokenizer of a ready model of a server in this process. */
  tokenizerOf?(model: string, version?: string): Tokenizer;
  /** The recommended defaults of a model for request fields, from a server in this process. */
  defaultsOf?(model: string): RecommendedDefaults;
  /** The LoRA adapters, on a server that loads and unloads them while it runs. */
  readonly adapters?: ServerAdapters;
  /** Restarts a managed server; resolves when the restart was requested. */
  restart?(): Promise<void>;
  close(): Promise<void>;
}

/** Values of request fields, by field name. */
export interface RecommendedDefaults {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_tokens?: number;
}

/** The LoRA adapters of the ready models of a server in this process. */
export interface ServerAdapters {
  names(model: string): readonly string[];
  load(model: string, adapter: { readonly name: string; readonly file: string }): Promise<void>;
  /** Running responses that use it complete. */
  unload(model: string, name: string): void;
}
