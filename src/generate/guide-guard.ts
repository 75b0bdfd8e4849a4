import { createHash } from 'node:crypto';
import { ApiError } from '../errors.ts';
import { failedPart } from '../kserve/engine-failure.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { GuideRefusal } from '../limits/guide-quarantine.ts';
import type { SharedQuarantine } from '../limits/shared-quarantine.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { WantedStructure } from '../openai/structure.ts';

/** A guide that was put in quarantine, for the log and the metrics. Times are milliseconds since 1970. */
export interface QuarantinedGuide {
  /** The first characters of the hash. */
  readonly hash: string;
  /** The beginning of the guide as JSON. */
  readonly text: string;
  readonly model: string;
  readonly server: string;
  /** The id of the API key, or the address. */
  readonly client: string;
  readonly until: number;
  /** Until when the client's guided requests are refused; undefined where this failure changes nothing in that. */
  readonly suspendedUntil: number | undefined;
}

interface GuardOptions {
  readonly quarantine: Pick<SharedQuarantine, 'check' | 'note'>;
  readonly onQuarantine: (guide: QuarantinedGuide) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A request as far as its guide matters. */
interface Guided {
  readonly model: Pick<ServedModel, 'contract' | 'model' | 'name'>;
  readonly structure: WantedStructure | undefined;
  /** The id of its API key, or its address. */
  readonly client?: string | undefined;
  readonly guides?: GuideGuard | undefined;
}

/** Keeps structured-output guides away from engines that failed after them. */
export class GuideGuard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  check(client: string, guide: () => string): GuideRefusal | undefined {
    return this.#options.quarantine.check(client, guide);
  }

  /** An engine failed after a guide. */
  note({ structure, model, client }: Suspect, server: string, hash: string): void {
    const { quarantine, onQuarantine } = this.#options;
    const noted = quarantine.note({ guide: hash, client, engine: `${model.model} on ${server}`, at: this.now() });
    if (!noted) return;
    const text = shortened(JSON.stringify(structure.structure));
    onQuarantine({ ...noted, hash: hash.slice(0, shownHash), text, model: model.name, server, client });
  }
}

type Suspect = Required<Pick<Guided, 'model'>> & { readonly structure: WantedStructure; readonly client: string };

/** The guide of one request, which its engine may fail of. */
export class GuardedGuide {
  readonly #guard: GuideGuard;
  readonly #suspect: Suspect;
  #hash: string | undefined;

  constructor(guard: GuideGuard, suspect: Suspect) {
    this.#guard = guard;
    this.#suspect = suspect;
  }

  /** Throws an ApiError where the guide, or guides of this client, are refused at the moment. */
  check(): void {
    const { client, structure } = this.#suspect;
    const refusal = this.#guard.check(client, () => this.#hashed());
    if (refusal?.kind === 'guide') throw guideRefused(structure.field, refusal);
    if (refusal) throw clientRefused(structure.field, refusal, this.#guard.now());
  }

  /** An inference with the guide failed on a server before its first response. */
  failed(error: unknown, server: Pick<InferenceServer, 'name'>): void {
    if (isSuspicious(error)) this.#guard.note(this.#suspect, server.name, this.#hashed());
  }

  #hashed(): string {
    this.#hash ??= guideHash(this.#suspect.structure.structure);
    return this.#hash;
  }
}

/** The guide of a request; undefined where it has none, or its engine cannot fail of one. */
export function guardedGuide({ model, structure, client = '', guides }: Guided): GuardedGuide | undefined {
  if (!guides || !structure || !model.contract.guidesMayEndEngine) return undefined;
  return new GuardedGuide(guides, { model, structure, client });
}

/** Whether a failed inference may have ended its engine. */
function isSuspicious(error: unknown): boolean {
  return failedPart(error) !== undefined;
}

/** Characters of a guide, and of its hash, that the log shows. */
const shownGuide = 200;
const shownHash = 12;

function shortened(text: string): string {
  return text.length > shownGuide ? `${text.slice(0, shownGuide)}…` : text;
}

/** The hash of a guide: the same for the same JSON, whatever the order of its keys. */
function guideHash(structure: WantedStructure['structure']): string {
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

/** Seconds up to which a client may wait and try again by itself. */
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

/** A time as clients read it, to the second. */
function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
