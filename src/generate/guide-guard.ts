import { createHash } from 'node:crypto';
import { ApiError } from '../errors.ts';
import { failedPart } from '../kserve/engine-failure.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { GuideRefusal } from '../limits/guide-quarantine.ts';
import type { SharedQuarantine } from '../limits/shared-quarantine.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { RequestedStructure } from '../requests/structure.ts';
import { GuideEvidence } from './guide-evidence.ts';
import type { Round, Run } from './plan.ts';

/** A guide that was put in quarantine, for the log and the metrics. Times are milliseconds since 1970. */
export interface QuarantinedGuide {
  /** The first characters of the hash. */
  readonly hash: string;
  /** The start of the guide as JSON. */
  readonly text: string;
  readonly model: string;
  readonly server: string;
  /** The id of the API key, or the address. */
  readonly client: string;
  readonly until: number;
  /** Until when the client's guided requests are refused; undefined if this failure does not change that. */
  readonly suspendedUntil: number | undefined;
}

interface GuardOptions {
  readonly quarantine: Pick<SharedQuarantine, 'isOn' | 'check' | 'note'>;
  readonly onQuarantine: (guide: QuarantinedGuide) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** What a request's guide depends on. */
interface GuidedRequest {
  readonly model: Pick<ServedModel, 'contract' | 'model' | 'name'>;
  readonly structure: RequestedStructure | undefined;
  /** The id of its API key, or its address. */
  readonly client?: string | undefined;
  readonly guides?: GuideGuard | undefined;
}

type NamedServer = Pick<InferenceServer, 'name'>;

/** What is remembered about a guided request; not its guide, which may be large. */
interface Suspect extends Pick<QuarantinedGuide, 'text' | 'model' | 'client'> {
  readonly hash: string;
}

/** Refuses structured-output guides that preceded an engine failure. */
export class GuideGuard {
  readonly #quarantine: GuardOptions['quarantine'];
  readonly #onQuarantine: GuardOptions['onQuarantine'];
  readonly #now: () => number;
  readonly #evidence: GuideEvidence<Suspect>;

  constructor({ quarantine, onQuarantine, now = Date.now }: GuardOptions) {
    this.#quarantine = quarantine;
    this.#onQuarantine = onQuarantine;
    this.#now = now;
    this.#evidence = new GuideEvidence({ now });
  }

  get isOn(): boolean {
    return this.#quarantine.isOn;
  }

  /** Throws an ApiError if the guide, or any guide of its client, is refused at the moment. */
  check(guide: GuardedGuide): void {
    const { client, field } = guide;
    const refusal = this.#quarantine.check(client, () => guide.hash);
    if (refusal?.kind === 'guide') throw guideRefused(field, refusal);
    if (refusal) throw clientRefused(field, refusal, this.#now());
  }

  started(guide: GuardedGuide, server: NamedServer): void {
    this.#evidence.started(engineName(server, guide.model.model), guide.hash, guide.client);
  }

  responded(guide: GuardedGuide, server: NamedServer): void {
    this.#evidence.responded(engineName(server, guide.model.model), guide.hash);
  }

  disconnected(guide: GuardedGuide, server: NamedServer): void {
    this.#evidence.disconnected(engineName(server, guide.model.model), guide.suspect());
  }

  /** An inference with this guide failed because its engine did. */
  failed(guide: GuardedGuide, server: NamedServer): void {
    this.#note(guide.suspect(), server, engineName(server, guide.model.model));
  }

  /** The engine of a model failed. Requests whose clients disconnected a moment before may be the cause. */
  engineFailed(server: NamedServer, model: string): void {
    const engine = engineName(server, model);
    for (const suspect of this.#evidence.failed(engine)) this.#note(suspect, server, engine);
  }

  /** A guide may be the cause of a failure, unless it is proven. */
  #note(suspect: Suspect, { name: server }: NamedServer, engine: string): void {
    const { hash, client } = suspect;
    if (this.#evidence.isProven(engine, hash)) return;
    const blamesClient = this.#evidence.isNewest(engine, client);
    const noted = this.#quarantine.note({ guide: hash, client, engine, blamesClient, at: this.#now() });
    if (noted) this.#onQuarantine({ ...suspect, ...noted, hash: hash.slice(0, loggedHashLength), server });
  }
}

function engineName({ name }: NamedServer, model: string): string {
  return `${model} on ${name}`;
}

/** The guide of one request, which may make its engine fail. */
export class GuardedGuide {
  readonly model: GuidedRequest['model'];
  readonly client: string;
  readonly #guard: GuideGuard;
  readonly #structure: RequestedStructure;
  #hash: string | undefined;

  constructor(guard: GuideGuard, { model, structure, client }: Pick<GuidedRequest, 'model'> & GuideOptions) {
    this.#guard = guard;
    this.model = model;
    this.client = client;
    this.#structure = structure;
  }

  /** The request field that it came from. */
  get field(): string {
    return this.#structure.field;
  }

  get hash(): string {
    this.#hash ??= guideHash(this.#structure.structure);
    return this.#hash;
  }

  suspect(): Suspect {
    const text = shortened(JSON.stringify(this.#structure.structure));
    return { hash: this.hash, text, model: this.model.name, client: this.client };
  }

  /** Throws an ApiError if it is refused at the moment. */
  check(): void {
    this.#guard.check(this);
  }

  /** Its inference is sent to a server. */
  started(server: NamedServer): void {
    this.#guard.started(this, server);
  }

  /** The first response of its inference has arrived. */
  responded(server: NamedServer): void {
    this.#guard.responded(this, server);
  }

  /** Its inference ended before its first response, with an error or because its client disconnected. */
  ended(error: unknown, server: NamedServer, hasDisconnected: boolean): void {
    if (isSuspicious(error)) this.#guard.failed(this, server);
    else if (hasDisconnected) this.#guard.disconnected(this, server);
  }
}

interface GuideOptions {
  readonly structure: RequestedStructure;
  readonly client: string;
}

/** The guide of a request; undefined if it has none, or guides cannot make its engine fail. */
export function guardedGuide({ model, structure, client = '', guides }: GuidedRequest): GuardedGuide | undefined {
  if (!guides?.isOn || !structure || !model.contract.guidesMayEndEngine) return undefined;
  return new GuardedGuide(guides, { model, structure, client });
}

/** The guide of a round. */
export function roundGuide({ plan: { model }, client, guides }: Run, { structure }: Round): GuardedGuide | undefined {
  return structure && guardedGuide({ model, structure, client, guides });
}

/** Whether a failed inference may have ended its engine. */
function isSuspicious(error: unknown): boolean {
  return failedPart(error) !== undefined;
}

/** Characters of a guide, and of its hash, that the log shows. */
const loggedGuideLength = 200;
const loggedHashLength = 12;

function shortened(text: string): string {
  return text.length > loggedGuideLength ? `${text.slice(0, loggedGuideLength)}…` : text;
}

/** The hash of a guide: the same for the same JSON, whatever the order of its keys. */
function guideHash(structure: RequestedStructure['structure']): string {
  return createHash('sha256')
    .update(JSON.stringify(structure, (_, value: unknown) => sorted(value)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

type RefusalOf<Kind> = Extract<GuideRefusal, { readonly kind: Kind }>;

function guideRefused(field: string, { failedAt, until }: RefusalOf<'guide'>): ApiError {
  return new ApiError(
    'guide_quarantined',
    `${field}: this structured-output guide preceded an engine failure at ${timeText(failedAt)}. ` +
      `It is refused until ${timeText(until)} (--guide-quarantine). Change it, or ask the operator.`,
    { param: field },
  );
}

/** Seconds up to which a client may wait and retry. */
const longestWait = 60;

function clientRefused(field: string, { failures, until }: RefusalOf<'client'>, now: number): ApiError {
  const retryAfter = Math.max(1, Math.ceil((until - now) / 1000));
  return new ApiError(
    'rate_limit_exceeded',
    `${field}: requests with structured output are refused for this client until ${timeText(until)}, ` +
      `because ${failures} engine failures followed its structured-output guides. Other requests are accepted.`,
    { param: field, retryAfter, ...(retryAfter > longestWait ? { isFinal: true } : {}) },
  );
}

/** A time for messages, to the second. */
function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
