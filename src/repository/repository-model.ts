import type { Finding } from './finding.ts';
import type { LlamacppModel } from './llamacpp-model.ts';
import type { ModelFolder } from './model-folder.ts';
import type { ModelConfigFile } from './pbtxt/model-config.ts';

interface BaseModel {
  readonly name: string;
  /** The repository's folder, as in the settings. */
  readonly repository: string;
  readonly folder: string;
  /** Notes, warnings and errors about it. */
  readonly findings: readonly Finding[];
}

interface Servable extends BaseModel {
  readonly state: 'available';
  readonly backend: string;
  /** The versions to serve, ascending; never empty. */
  readonly versions: readonly number[];
  /** With the name and the backend filled in; the tensors are those of the file. */
  readonly config: ModelConfigFile;
  readonly source: ModelFolder;
}

/** A model that runs inside Conch. */
export interface EmbeddedModel extends Servable {
  readonly runsOn: 'embedded';
  readonly llamacpp: LlamacppModel;
}

/** A model that needs tritonserver. */
export interface TritonModel extends Servable {
  readonly runsOn: 'tritonserver';
}

/** A model that cannot be served, and why. */
export interface UnavailableModel extends BaseModel {
  readonly state: 'unavailable';
  readonly reason: string;
  /** Undefined if unknown. */
  readonly backend: string | undefined;
}

export type AvailableModel = EmbeddedModel | TritonModel;
export type RepositoryModel = AvailableModel | UnavailableModel;

/** All models of one or several repositories, by name. */
export interface ModelRepository {
  readonly models: readonly RepositoryModel[];
  /** Notes that belong to no model, for example about folders that are not models. */
  readonly notes: readonly Finding[];
}
