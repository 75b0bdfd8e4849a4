import { describe, expect, it } from 'vitest';
import { readOtelVariables } from './otel-variables.ts';
import { SettingsError } from './settings-error.ts';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readOtelVariables('http://collector', environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('readOtelVariables', () => {
  it('traces nothing without an endpoint', () => {
    expect(readOtelVariables(undefined, { OTEL_SERVICE_NAME: 'x', OTEL_ODD: '1' })).toEqual({
      options: undefined,
      ignored: [],
    });
  });

  it('has defaults for all the rest', () => {
    expect(readOtelVariables('http://collector:4318', {}).options).toEqual({
      url: 'http://collector:4318/v1/traces',
      protocol: 'http/protobuf',
      headers: {},
      timeout: 10_000,
      isCompressed: false,
      tls: { ca: undefined, cert: undefined, key: undefined },
      serviceName: 'conch',
      resource: {},
      sampler: { kind: 'always_on', isParentBased: true, ratio: 1 },
      batch: { delay: 5_000, queue: 2_048, size: 512, timeout: 30_000 },
    });
  });

  it.each([
    ['http://flag:4318', {}, 'http://flag:4318/v1/traces', 'http/protobuf'],
    ['http://flag:4317', {}, 'http://flag:4317/', 'grpc'],
    ['http://flag:4317', { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http://flag:4317/v1/traces', 'http/json'],
    [undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all/base/' }, 'http://all/base/v1/traces', 'http/protobuf'],
    [
      undefined,
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://all', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces/own' },
      'http://traces/own',
      'http/protobuf',
    ],
    [
      'http://flag',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces/own' },
      'http://flag/v1/traces',
      'http/protobuf',
    ],
  ])('sends to the strongest of %s and %j', (flag, environment, url, protocol) => {
    expect(readOtelVariables(flag, environment as Record<string, string>).options).toMatchObject({ url, protocol });
  });

  it('reads headers, attributes and samplers', () => {
    const environment = {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc, x-tenant=blue',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,team=b%2Cc',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    };
    expect(readOtelVariables('http://collector', environment).options).toMatchObject({
      headers: { authorization: 'Basic abc', 'x-tenant': 'blue' },
      serviceName: 'a',
      resource: { team: 'b,c' },
      sampler: { kind: 'traceidratio', isParentBased: true, ratio: 0.25 },
    });
  });

  it.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])('is off with %j', (environment) => {
    expect(readOtelVariables('http://collector', environment).options).toBeUndefined();
  });

  it('names what has no effect', () => {
    expect(readOtelVariables('http://collector', { OTEL_METRICS_EXPORTER: 'otlp', OTEL_B: '1' }).ignored).toEqual([
      'OTEL_B',
      'OTEL_METRICS_EXPORTER',
    ]);
  });

  it.each([
    [
      { OTEL_TRACES_SAMPLER: 'xray' },
      'OTEL_TRACES_SAMPLER must be one of always_on, parentbased_always_on, always_off, parentbased_always_off, traceidratio, parentbased_traceidratio, not "xray".',
    ],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER must be one of otlp, none, not "zipkin".'],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'thrift' },
      'OTEL_EXPORTER_OTLP_PROTOCOL must be one of grpc, http/protobuf, http/json, not "thrift".',
    ],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' }, 'OTEL_EXPORTER_OTLP_TIMEOUT must be a number above 0, not "soon".'],
    [
      { OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '0' },
      'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT must be a number above 0, not "0".',
    ],
    [{ OTEL_BSP_EXPORT_TIMEOUT: '0' }, 'OTEL_BSP_EXPORT_TIMEOUT must be a number above 0, not "0".'],
    [{ OTEL_BSP_SCHEDULE_DELAY: '-1' }, 'OTEL_BSP_SCHEDULE_DELAY must be a number, not "-1".'],
    ...['0', '0.5', 'many'].map(
      (text) =>
        [
          { OTEL_BSP_MAX_EXPORT_BATCH_SIZE: text },
          `OTEL_BSP_MAX_EXPORT_BATCH_SIZE must be a whole number, 1 or more, not "${text}".`,
        ] as [Record<string, string>, string],
    ),
    [
      { OTEL_BSP_MAX_QUEUE_SIZE: '0', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1' },
      'OTEL_BSP_MAX_QUEUE_SIZE must be a whole number, 1 or more, not "0".',
    ],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: 'secret-without-name' },
      'OTEL_EXPORTER_OTLP_HEADERS must be a list of name=value, separated by commas.',
    ],
    [
      { OTEL_PROPAGATORS: 'tracecontext,b3' },
      'OTEL_PROPAGATORS: b3 is not supported. Set it to tracecontext (W3C Trace Context).',
    ],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not 2.'],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' },
      'OTEL_EXPORTER_OTLP_COMPRESSION: gzip is supported only over HTTP. Remove it for gRPC.',
    ],
    [
      { OTEL_BSP_MAX_QUEUE_SIZE: '10' },
      'OTEL_BSP_MAX_EXPORT_BATCH_SIZE (512) must be at most OTEL_BSP_MAX_QUEUE_SIZE (10).',
    ],
  ])('refuses %j', (environment, problem) => {
    expect(problemsOf(environment)).toEqual([problem]);
  });
});
