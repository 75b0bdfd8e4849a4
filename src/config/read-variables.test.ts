import { describe, expect, it } from 'vitest';
import { readVariables } from './read-variables.ts';
import { settingTable } from './settings.ts';

function read(environment: Record<string, string>) {
  const { inputs, problems } = readVariables(environment, settingTable);
  return { given: inputs.map(({ name, model, input }) => [name, model, input]), problems };
}

describe('readVariables', () => {
  it('reads only its own environment variables', () => {
    expect(
      read({
        CONCH_PORT: '1',
        PORT: '2',
        CONCHIGLIE: '3',
        CONCH_TEST_X: '4',
        CONCH_STRICT_FIELDS: 'yes',
        PATH: '/bin',
      }),
    ).toEqual({
      given: [
        ['port', undefined, 1],
        ['strictFields', undefined, true],
      ],
      problems: [],
    });
  });

  it('counts an empty environment variable as not set', () => {
    expect(read({ CONCH_PORT: '', CONCH_MODEL_REPOSITORY: '', OPENAI_TRTLLM_PORT: '3000' })).toEqual({
      given: [['port', undefined, 3000]],
      problems: [],
    });
  });

  it('ignores what Kubernetes sets for a service called conch', () => {
    const environment = {
      CONCH_SERVICE_HOST: '10.0.0.1',
      CONCH_SERVICE_PORT: '9000',
      CONCH_SERVICE_PORT_HTTP: '9000',
      CONCH_PORT: 'tcp://10.0.0.1:9000',
      CONCH_PORT_9000_TCP: 'tcp://10.0.0.1:9000',
      CONCH_PORT_9000_TCP_PROTO: 'tcp',
      CONCH_PORT_9000_TCP_PORT: '9000',
      CONCH_PORT_9000_TCP_ADDR: '10.0.0.1',
      CONCH_METRICS_PORT: 'tcp://10.0.0.2:9100',
      OPENAI_TRTLLM_PORT: '3000',
    };
    expect(read(environment)).toEqual({ given: [['port', undefined, 3000]], problems: [] });
  });

  it.each([
    ['CONCH_PROT', 'CONCH_PROT is not an environment variable of Conch. Did you mean CONCH_PORT?'],
    ['CONCH_OPENAI_PORT', 'CONCH_OPENAI_PORT is not an environment variable of Conch. Did you mean CONCH_PORT?'],
    ['CONCH_BACKEND', 'CONCH_BACKEND is not an environment variable of Conch. Did you mean CONCH_CONTRACT?'],
    ['CONCH_HELP', 'CONCH_HELP is not an environment variable of Conch. docs/settings.md lists them.'],
    ['CONCH_EMBEDDING', 'CONCH_EMBEDDING is not an environment variable of Conch. docs/settings.md lists them.'],
    [
      'CONCH_COLOUR_OF_SHELL',
      'CONCH_COLOUR_OF_SHELL is not an environment variable of Conch. docs/settings.md lists them.',
    ],
  ])('refuses %s', (variable, problem) => {
    expect(read({ [variable]: 'x' })).toEqual({ given: [], problems: [problem] });
  });
});
