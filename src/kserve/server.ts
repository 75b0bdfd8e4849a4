import type { RequestWatch } from '../request-watch.ts';
import type { Signal } from '../signal.ts';
import type { Tokenizer } from '../tokenizer.ts';
import type { ControlCalls, ControlMethod } from './messages.ts';
import type { Datatype, Tensor } from './tensors.ts';

/** A parameter of a request or response; a whole number travels as int64, other numbers as double. */
export type ParameterValue = string | number | boolean;

/** One inference, in the terms of the v2 protocol. */
export interface InferRequest {
  readonly model: string;
  /** Empty or left out: the newest ready version. */
  readonly version?: string;
  readonly id: string;
  readonly parameters?: Readonly<Record<string, ParameterValue>>;
  readonly inputs: readonly Tensor[];
  /** The outputs that are wanted; left out: all. */
  readonly outputs?: readonly string[];
  /** Asks for each output as so many of its best classes, as texts: `value:index:label` (the classification extension). */
  readonly classes?: number;
  /**
   * The same request as the bytes of a ModelInferRequest, where it came that way. A server that is reached over a wire
   * sends these: they carry what the fields above do not, such as shared memory and the exact kind of each parameter.
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
  /** The same response as the bytes of a ModelInferResponse, where it came that way. */
  readonly wire?: Uint8Array;
  /** The raw bytes of the output of this name, or undefined when the response does not carry it. */
  raw(name: string): Buffer | undefined;
  /** The first element of a BYTES output; an empty tensor reads as the empty text. */
  text(name: string): string | undefined;
  /** The first element of a UINT32 output. */
  uint32(name: string): number | undefined;
  /** The same response, for use after the call that brought it: a stream may reuse one object for all responses. */
  kept(): InferResponse;
}

/** Hears of the responses of an inference, synchronously, as they are read. */
export interface ResponseSink {
  /** The response is valid during the call; `kept()` is valid for longer. */
  response(response: InferResponse): void;
  /** The end, once, with the StatusError of an inference that failed. Nothing comes after it. */
  end(error?: unknown): void;
}

/** An inference that was started. All calls are allowed at any time; after the end they do nothing. */
export interface RunningInference {
  /** Has the server wait. What it has sent already still arrives. */
  pause(): void;
  resume(): void;
  /** Ends it. With an error the sink is told that it ended so; without one the sink hears nothing more. */
  cancel(error?: unknown): void;
}

/** What a call may take beside its request. */
export interface CallOptions {
  readonly signal?: Signal;
  /** Milliseconds after which the call fails with DEADLINE_EXCEEDED; left out: none. */
  readonly timeout?: number | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Hears of the inference, where whoever runs it tells; left out: nobody does. */
  readonly watch?: RequestWatch;
}

/**
 * Anything that can run models and speaks the v2 protocol: a Triton far away, one that Conch started, or the engine in
 * this process. Every failure is a StatusError.
 */
export interface InferenceServer {
  /** How people know it: its address, or `embedded`. */
  readonly name: string;
  /** Whose it is, where it is not a Triton that runs on its own. */
  readonly kind?: 'embedded' | 'managed';
  /** Its model repositories, where they are folders on this machine. */
  readonly repositories?: readonly string[];
  /** Any call but inference: health, metadata, configuration, repository, statistics and settings. */
  call<Method extends ControlMethod>(
    method: Method,
    request: ControlCalls[Method]['request'],
    options?: CallOptions,
  ): Promise<ControlCalls[Method]['response']>;
  /** One request, one response. Decoupled models refuse it. */
  infer(request: InferRequest, options?: CallOptions): Promise<InferResponse>;
  /**
   * One request, any number of responses. The sink is not called before this returns; it hears of every failure, also of
   * one that is known at once. Aborting the signal ends the inference with CANCELLED.
   */
  stream(request: InferRequest, sink: ResponseSink, options?: CallOptions): RunningInference;
  /** The tokenizer of a ready model, from a server in this process. */
  tokenizerOf?(model: string, version?: string): Tokenizer;
  /** What the makers of a model recommend for the fields that a request leaves out, from a server in this process. */
  defaultsOf?(model: string): RecommendedDefaults;
  /** LoRA adapters, on a server that takes and leaves them while it runs. */
  readonly adapters?: ServerAdapters;
  /** Ends and starts the server, on one that Conch runs; resolves when it was told to. */
  restart?(): Promise<void>;
  close(): Promise<void>;
}

/** Values of a request's fields, under the names that the request has for them. */
export interface RecommendedDefaults {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_tokens?: number;
}

/** The LoRA adapters of the ready models of a server in this process. */
export interface ServerAdapters {
  names(model: string): readonly string[];
  load(model: string, adapter: { readonly name: string; readonly file: string }): Promise<void>;
  /** Answers that use it run to their end. */
  unload(model: string, name: string): void;
}
