/**
 * The messages of the control calls, with the field names of the protocol: the gRPC client decodes them, and every kind
 * of server returns them. 64-bit integers are numbers; counters past 2^53 lose their last digits.
 */

/** The part of a model's configuration that Conch reads. Other fields are passed on unchanged. */
export interface ModelConfig {
  readonly name: string;
  readonly platform: string;
  readonly backend: string;
  readonly runtime?: string;
  readonly max_batch_size: number;
  readonly input: readonly ModelTensor[];
  readonly output: readonly ModelTensor[];
  readonly parameters: Readonly<Record<string, { readonly string_value: string }>>;
  readonly model_transaction_policy?: { readonly decoupled: boolean };
  readonly instance_group?: readonly { readonly count: number }[];
  readonly ensemble_scheduling?: { readonly step: readonly { readonly model_name: string }[] };
}

/** An input or output as the configuration declares it: dims leave out the batch dimension. */
export interface ModelTensor {
  readonly name: string;
  /** The name in the configuration, for example TYPE_STRING. */
  readonly data_type: string;
  readonly dims: readonly number[];
  /** Inputs only: whether a request may leave it out. */
  readonly optional?: boolean;
  /** Outputs only: the file in the model's folder with the names of the classes. */
  readonly label_filename?: string;
}

export interface TensorMetadata {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
}

export interface ModelMetadata {
  readonly name: string;
  readonly versions: readonly string[];
  readonly platform: string;
  readonly inputs: readonly TensorMetadata[];
  readonly outputs: readonly TensorMetadata[];
}

export interface ModelIndexEntry {
  readonly name: string;
  readonly version: string;
  /** READY, LOADING, UNLOADING, UNAVAILABLE, UNKNOWN, or empty for a model that was never loaded. */
  readonly state: string;
  readonly reason: string;
}

interface StatisticDuration {
  readonly count: number;
  readonly ns: number;
}

export interface ModelStatistics {
  readonly name: string;
  readonly version: string;
  readonly last_inference: number;
  readonly inference_count: number;
  readonly execution_count: number;
  readonly inference_stats?: Readonly<Record<string, StatisticDuration>>;
  readonly batch_stats: readonly ({ readonly batch_size: number } & Readonly<Record<string, unknown>>)[];
  readonly memory_usage: readonly { readonly type: string; readonly id: number; readonly byte_size: number }[];
  readonly response_stats: Readonly<Record<string, Readonly<Record<string, StatisticDuration>>>>;
}

/** One parameter of a load or unload; exactly one member is set. */
export interface RepositoryParameter {
  readonly bool_param?: boolean;
  readonly int64_param?: number;
  readonly string_param?: string;
  readonly bytes_param?: Uint8Array;
}

/** One log setting; exactly one member is set. */
export interface LogSetting {
  readonly bool_param?: boolean;
  readonly uint32_param?: number;
  readonly string_param?: string;
}

interface ModelReference {
  readonly name: string;
  /** Empty or undefined: the newest ready version. */
  readonly version?: string;
}

interface SystemRegion {
  readonly name: string;
  readonly key: string;
  readonly offset: number;
  readonly byte_size: number;
}

interface CudaRegion {
  readonly name: string;
  readonly device_id: number;
  readonly byte_size: number;
}

type Settings<Value> = Readonly<Record<string, Value>>;
type Empty = Readonly<Record<string, never>>;

/** Every unary call of the service but ModelInfer: request and response. */
export interface ControlCalls {
  ServerLive: { request: Empty; response: { readonly live: boolean } };
  ServerReady: { request: Empty; response: { readonly ready: boolean } };
  ModelReady: { request: ModelReference; response: { readonly ready: boolean } };
  ServerMetadata: {
    request: Empty;
    response: { readonly name: string; readonly version: string; readonly extensions: readonly string[] };
  };
  ModelMetadata: { request: ModelReference; response: ModelMetadata };
  ModelConfig: { request: ModelReference; response: { readonly config: ModelConfig } };
  ModelStatistics: { request: Partial<ModelReference>; response: { readonly model_stats: readonly ModelStatistics[] } };
  RepositoryIndex: {
    request: { readonly repository_name?: string; readonly ready?: boolean };
    response: { readonly models: readonly ModelIndexEntry[] };
  };
  RepositoryModelLoad: {
    request: {
      readonly repository_name?: string;
      readonly model_name: string;
      readonly parameters?: Settings<RepositoryParameter>;
    };
    response: Empty;
  };
  RepositoryModelUnload: {
    request: {
      readonly repository_name?: string;
      readonly model_name: string;
      readonly parameters?: Settings<RepositoryParameter>;
    };
    response: Empty;
  };
  SystemSharedMemoryStatus: {
    request: { readonly name?: string };
    response: { readonly regions: Settings<SystemRegion> };
  };
  SystemSharedMemoryRegister: { request: SystemRegion; response: Empty };
  SystemSharedMemoryUnregister: { request: { readonly name?: string }; response: Empty };
  CudaSharedMemoryStatus: {
    request: { readonly name?: string };
    response: { readonly regions: Settings<CudaRegion> };
  };
  CudaSharedMemoryRegister: { request: CudaRegion & { readonly raw_handle: Uint8Array }; response: Empty };
  CudaSharedMemoryUnregister: { request: { readonly name?: string }; response: Empty };
  TraceSetting: {
    request: { readonly settings?: Settings<{ readonly value: readonly string[] }>; readonly model_name?: string };
    response: { readonly settings: Settings<{ readonly value: readonly string[] }> };
  };
  LogSettings: {
    request: { readonly settings?: Settings<LogSetting> };
    response: { readonly settings: Settings<LogSetting> };
  };
}

export type ControlMethod = keyof ControlCalls;
