import { describe, expect, it } from 'vitest';
import { protocol } from '../../src/kserve/control-codec.ts';
import { python } from '../support/python.ts';
import { type Declarations, declarationsOf } from './reflection.ts';

/** What NVIDIA's own client package declares. */
async function declaredByTriton(): Promise<Declarations> {
  const { stdout, stderr, exitCode } = await python('test/grpc/descriptors.py');
  if (exitCode !== 0) throw new Error(stderr);
  const declarations: Declarations = JSON.parse(stdout);
  return declarations;
}

describe('our .proto files', () => {
  it('declare every message, field, enum and method exactly as the package tritonclient does', async () => {
    const theirs = await declaredByTriton();
    const ours = declarationsOf(protocol(), 'inference');
    expect(ours).toEqual(theirs);
    expect(Object.keys(ours.messages)).toHaveLength(105);
    expect(Object.keys(ours.services['inference.GRPCInferenceService'] ?? {})).toHaveLength(20);
  });

  it('declare the part of the standard health service that Triton serves', () => {
    expect(declarationsOf(protocol(), 'grpc.health.v1')).toEqual({
      messages: {
        'grpc.health.v1.HealthCheckRequest': {
          service: { number: 1, type: 'string', repeated: false, oneof: null },
        },
        'grpc.health.v1.HealthCheckResponse': {
          status: {
            number: 1,
            type: 'grpc.health.v1.HealthCheckResponse.ServingStatus',
            repeated: false,
            oneof: null,
          },
        },
      },
      enums: {
        'grpc.health.v1.HealthCheckResponse.ServingStatus': {
          UNKNOWN: 0,
          SERVING: 1,
          NOT_SERVING: 2,
          SERVICE_UNKNOWN: 3,
        },
      },
      services: {
        'grpc.health.v1.Health': {
          Check: {
            request: 'grpc.health.v1.HealthCheckRequest',
            response: 'grpc.health.v1.HealthCheckResponse',
            request_stream: false,
            response_stream: false,
          },
        },
      },
    });
  });
});
