import { SettingsError } from './settings-error.ts';

/** How spans reach a collector. */
export type OtlpProtocol = 'grpc' | 'http/protobuf' | 'http/json';

/** Which traces are sampled. */
export interface SamplerChoice {
  readonly kind: 'always_on' | 'always_off' | 'traceidratio';
  /** Whether the client's own sampling decision comes first. */
  readonly isParentBased: boolean;
  readonly ratio: number;
}

/** The OpenTelemetry environment variables about traces. Times are in milliseconds. */
export interface OtlpOptions {
  /** The URL of the collector; for HTTP with its path. */
  readonly url: string;
  readonly protocol: OtlpProtocol;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly isCompressed: boolean;
  /** PEM files. */
  readonly tls: {
    readonly ca?: string | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
  };
  readonly serviceName: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: SamplerChoice;
  readonly batch: { readonly delay: number; readonly queue: number; readonly size: number; readonly timeout: number };
}

/** The configuration of traces, and the environment variables that have no effect. */
export interface OtelConfiguration {
  /** Undefined: no traces. */
  readonly options: OtlpOptions | undefined;
  readonly ignored: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment variables of OpenTelemetry. The flag overrides their endpoint. Throws a SettingsError for values that are not supported. */
export function readOtelVariables(endpoint: string | undefined, environment: Environment): OtelConfiguration {
  const reader = new Reader(environment);
  const options = reader.read(endpoint);
  if (reader.problems.length > 0) throw new SettingsError(reader.problems);
  const isOther = (name: string): boolean =>
    name.startsWith('OTEL_') && !reader.known.has(name) && environment[name] !== '';
  return { options, ignored: options ? Object.keys(environment).filter(isOther).toSorted() : [] };
}

const samplers = ['always_on', 'always_off', 'traceidratio'] as const;

interface NumberRule {
  readonly usual: number;
  readonly isGood: (value: number) => boolean;
  /** The expected value, in words. */
  readonly what: string;
}

class Reader {
  readonly problems: string[] = [];
  readonly known = new Set<string>();
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  read(endpoint: string | undefined): OtlpOptions | undefined {
    const isOff = this.#choice('OTEL_SDK_DISABLED', ['true', 'false'], 'false') === 'true';
    const isNone = this.#choice('OTEL_TRACES_EXPORTER', ['otlp', 'none'], 'otlp') === 'none';
    const [ownName, own] = this.#either('ENDPOINT');
    const base = endpoint ?? own;
    const url = base === undefined ? undefined : this.#url(base, endpoint === undefined ? ownName : '--otlp-endpoint');
    const [protocolName, protocolText] = this.#either('PROTOCOL');
    const protocol = this.#oneOf(protocolName, protocolText, ['grpc', 'http/protobuf', 'http/json'] as const);
    const options = {
      url: url?.href ?? '',
      protocol: protocol ?? (url?.port === '4317' ? 'grpc' : 'http/protobuf'),
      headers: this.#pairs(...this.#either('HEADERS')),
      timeout: this.#positive(...this.#either('TIMEOUT'), 10_000),
      isCompressed: this.#oneOf(...this.#either('COMPRESSION'), ['gzip', 'none'] as const) === 'gzip',
      tls: {
        ca: this.#either('CERTIFICATE')[1],
        cert: this.#either('CLIENT_CERTIFICATE')[1],
        key: this.#either('CLIENT_KEY')[1],
      },
      ...this.#resource(),
      sampler: this.#sampler(),
      batch: {
        delay: this.#number(...this.#get('OTEL_BSP_SCHEDULE_DELAY'), 5_000),
        queue: this.#count(...this.#get('OTEL_BSP_MAX_QUEUE_SIZE'), 2_048),
        size: this.#count(...this.#get('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'), 512),
        timeout: this.#positive(...this.#get('OTEL_BSP_EXPORT_TIMEOUT'), 30_000),
      },
    };
    this.#propagators();
    if (!url || isOff || isNone) return undefined;
    if (options.isCompressed && options.protocol === 'grpc')
      this.problems.push('OTEL_EXPORTER_OTLP_COMPRESSION: gzip is supported only over HTTP. Remove it for gRPC.');
    if (options.batch.size > options.batch.queue)
      this.problems.push(
        `OTEL_BSP_MAX_EXPORT_BATCH_SIZE (${options.batch.size}) must be at most OTEL_BSP_MAX_QUEUE_SIZE (${options.batch.queue}).`,
      );
    const isWhole = endpoint === undefined && ownName.includes('TRACES');
    return options.protocol === 'grpc' || isWhole
      ? options
      : { ...options, url: `${url.href.replace(/\/+$/, '')}/v1/traces` };
  }

  #url(text: string, where: string): URL | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url && /^https?:$/.test(url.protocol)) return url;
    this.problems.push(`${where} must be a URL that begins with http:// or https://.`);
    return undefined;
  }

  #resource(): Pick<OtlpOptions, 'serviceName' | 'resource'> {
    const resource = this.#pairs(...this.#get('OTEL_RESOURCE_ATTRIBUTES'));
    const { 'service.name': named, ...rest } = resource;
    return { serviceName: this.#get('OTEL_SERVICE_NAME')[1] ?? named ?? 'conch', resource: rest };
  }

  #sampler(): SamplerChoice {
    const names = samplers.flatMap((name) => [name, `parentbased_${name}` as const]);
    const chosen = this.#oneOf(...this.#get('OTEL_TRACES_SAMPLER'), names) ?? 'parentbased_always_on';
    const ratio = this.#number(...this.#get('OTEL_TRACES_SAMPLER_ARG'), 1);
    if (ratio > 1) this.problems.push(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not ${ratio}.`);
    const kind = chosen.replace('parentbased_', '') as SamplerChoice['kind'];
    return { kind, isParentBased: chosen.startsWith('parentbased_'), ratio };
  }

  #propagators(): void {
    const [name, text = ''] = this.#get('OTEL_PROPAGATORS');
    const strange = text.split(',').filter((word) => !['', 'tracecontext', 'baggage'].includes(word.trim()));
    if (strange.length > 0)
      this.problems.push(
        `${name}: ${strange.join(', ')} is not supported. Set it to tracecontext (W3C Trace Context).`,
      );
  }

  /** An environment variable of the exporter; the one for traces overrides the one for all signals. */
  #either(end: string): [string, string | undefined] {
    const forTraces = this.#get(`OTEL_EXPORTER_OTLP_TRACES_${end}`);
    const forAll = this.#get(`OTEL_EXPORTER_OTLP_${end}`);
    return forTraces[1] === undefined ? forAll : forTraces;
  }

  /** An empty environment variable counts as not set. */
  #get(name: string): [string, string | undefined] {
    this.known.add(name);
    return [name, this.#environment[name]?.trim() || undefined];
  }

  #choice(name: string, allowed: readonly string[], usual: string): string {
    return this.#oneOf(...this.#get(name), allowed) ?? usual;
  }

  #oneOf<Word extends string>(name: string, text: string | undefined, allowed: readonly Word[]): Word | undefined {
    const found = allowed.find((word) => word === text?.toLowerCase());
    if (text !== undefined && found === undefined)
      this.problems.push(`${name} must be one of ${allowed.join(', ')}, not ${quoted(text)}.`);
    return found;
  }

  #number(name: string, text: string | undefined, usual: number): number {
    return this.#checked(name, text, { usual, isGood: (value) => value >= 0, what: 'a number' });
  }

  #positive(name: string, text: string | undefined, usual: number): number {
    return this.#checked(name, text, { usual, isGood: (value) => value > 0, what: 'a number above 0' });
  }

  #count(name: string, text: string | undefined, usual: number): number {
    const isGood = (value: number): boolean => Number.isInteger(value) && value >= 1;
    return this.#checked(name, text, { usual, isGood, what: 'a whole number, 1 or more' });
  }

  #checked(name: string, text: string | undefined, { usual, isGood, what }: NumberRule): number {
    if (text === undefined) return usual;
    const value = Number(text);
    if (Number.isFinite(value) && isGood(value)) return value;
    this.problems.push(`${name} must be ${what}, not ${quoted(text)}.`);
    return usual;
  }

  /** `a=1,b=2`, percent-encoded. No message repeats a value: headers contain keys. */
  #pairs(name: string, text: string | undefined): Readonly<Record<string, string>> {
    const pairs: Record<string, string> = {};
    for (const item of (text ?? '').split(',').filter((word) => word.trim() !== '')) {
      const at = item.indexOf('=');
      try {
        if (at < 1) throw new URIError();
        pairs[decodeURIComponent(item.slice(0, at).trim())] = decodeURIComponent(item.slice(at + 1).trim());
      } catch {
        this.problems.push(`${name} must be a list of name=value, separated by commas.`);
      }
    }
    return pairs;
  }
}

/** A value in an error, shortened. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
