import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { load, problems, withFile } from '../../test/support/settings-loading.ts';

describe('errors', () => {
  it('are reported all at once, each with its position', () => {
    const environment = { CONCH_PROT: '1', CONCH_LOG_FORMAT: 'xml' };
    const text =
      'port: high\nprot: 1\nmodels:\n  llama:\n    defaults: {temperature: 3, top_q: 1}\n    embedding: {pooling: max}\n';
    expect(
      problems(['--config', 'conch.yaml', '--prot', '1', '--port', '70000'], { environment, readFile: () => text }),
    ).toEqual([
      '--prot is not a flag. Did you mean --port?',
      'conch.yaml:2:1: prot is not a key. Did you mean port?',
      'CONCH_PROT is not an environment variable of Conch. Did you mean CONCH_PORT?',
      'conch.yaml:1:1: port must be a whole number from 0 to 65535, not "high".',
      'conch.yaml:5:16: models.llama.defaults.temperature must be at most 2, not 3.',
      'conch.yaml:5:32: models.llama.defaults.top_q is not a key. Did you mean top_p?',
      'conch.yaml:6:17: models.llama.embedding.pooling must be one of mean, cls, last, not "max".',
      'CONCH_LOG_FORMAT must be one of json, pretty, not "xml".',
      '--port must be a whole number from 0 to 65535, not 70000.',
    ]);
  });

  it.each([
    [['--port', '1.5'], ['--port must be a whole number from 0 to 65535, not 1.5.']],
    [['--port', '-1'], ['--port must be a whole number from 0 to 65535, not -1.']],
    [['--port', ''], ['--port must be a whole number from 0 to 65535.']],
    [['--strict-fields=maybe'], ['--strict-fields must be true or false, not "maybe".']],
    [
      ['--context-length', 'llama=many'],
      ['--context-length llama=… must be a whole number of at least 1, not "many".'],
    ],
    [['--tokenizer', 'llama='], ['--tokenizer llama=… must not be empty.']],
    [
      ['--backend', 'onnx'],
      ['--backend must be one of vllm, tensorrtllm, trtllm, trtllm-tokens, llmapi, conch-tokens, not "onnx".'],
    ],
    [['-t', 'http://me:word@a'], ['-t must not contain a user or password: send credentials with --triton-header.']],
    [
      ['--refresh-interval', 'soon'],
      ['--refresh-interval must be a duration such as 500ms, 2s or 5m, or a number of seconds, not "soon".'],
    ],
    [['--load-model', 'a'], ['--load-model needs --model-control-mode explicit.']],
    [['--allow-image-addresses', '::1'], ['--allow-image-addresses needs --allow-image-urls.']],
    [
      ['--model-control-mode', 'explicit', '--load-model', 'a', '--load-model', '*'],
      ['--load-model: * means all models. Remove * or the other names.'],
    ],
    [['--max-waiting', '5'], ['--max-waiting needs --max-running.']],
    [['--max-waiting', 'a=5'], ['--max-waiting: models.a.max_waiting needs max_running.']],
    [['--workers', '0'], ['--workers must be a whole number from 1 to 256, not 0.']],
    [
      ['--kserve-grpc-port', '8000'],
      ['--kserve-grpc-port: both KServe frontends use port 8000. Set two different ports.'],
    ],
    [['-t', 'a', '-t', 'a:8001'], ['-t: a:8001 is set twice. Remove one.']],
    [['--triton-cert', 'c'], ['--triton-cert needs --triton-key: a certificate and its private key belong together.']],
    [['--tls-cert', 'c'], ['--tls-cert needs --tls-key: a certificate and its private key belong together.']],
    [['--tls-key', 'c'], ['--tls-key needs --tls-cert: a certificate and its private key belong together.']],
    [['--tls-client-ca', 'c'], ['--tls-client-ca needs --tls-cert and --tls-key.']],
    [['--triton-key', 'c'], ['--triton-key needs --triton-cert: a certificate and its private key belong together.']],
    [
      ['-t', 'http://a', '--triton-ca', 'c'],
      ['--triton-ca has no effect: no --triton address uses TLS. Write the address as grpcs://HOST:PORT.'],
    ],
    [
      ['--history-template', 'a', '--history-template-file', 'b'],
      [
        'history_template (--history-template) and history_template_file (--history-template-file) exclude each other. Set only one.',
      ],
    ],
  ])('in %j are named', (argv, expected) => {
    expect(problems(argv)).toEqual(expected);
  });

  it('in aliases are named', () => {
    expect(withFile('models:\n  a: {serves: a}\n  b: {serves: c}\n  c: {serves: d}\n')).toEqual([
      'conch.yaml:2:7: models.a.serves must not be the alias itself. Set a model of the server.',
      'conch.yaml:3:7: models.b.serves must be a model of the server, but c is an alias. Set d instead.',
    ]);
  });

  it('in the limits of an alias are named', () => {
    expect(withFile('max_running: 2\nmodels:\n  a: {serves: b, max_running: 1}\n  c: {max_waiting: 1}\n')).toEqual([
      'conch.yaml:3:18: models.a is an alias of b. Set the limit under models.b.',
    ]);
  });

  it('in the name of the file are named', () => {
    expect(problems(['--config', 'no/such/file.yaml'])).toEqual([
      '--config: cannot read no/such/file.yaml: file not found. Check the path.',
    ]);
    expect(problems(['--config', '.'])).toEqual(['--config: cannot read .: it is a folder. Set a YAML or JSON file.']);
  });
});

describe('secrets', () => {
  const secret = 'pearl-0815';

  it('are in no error line', () => {
    const lines = [
      ...problems(['--api-kye', secret, '--api-kye2=secret', `--triton-header=${secret}`, '--port', 'x']),
      ...problems([], { environment: { CONCH_TRITON_HEADER: `a b: ${secret}`, CONCH_API_KYE: secret } }),
      ...withFile(`api_key: [sha256:${secret}]`),
      ...withFile(`api_key: {${secret}: 1}`),
      ...withFile(`api_kye: ${secret}`),
      ...withFile(`api_key: *${secret}`),
      ...withFile(`api_key: "${secret}\n`),
      ...withFile(`api_key: "\\q${secret}"`),
      ...withFile(`api_key: a: ${secret}`),
    ];
    expect(lines).toEqual([
      '--api-kye is not a flag. Did you mean --api-key?',
      '--api-kye2 is not a flag. Did you mean --api-key?',
      '--triton-header must be name: value or name=value.',
      '--port must be a whole number from 0 to 65535, not "x".',
      'CONCH_API_KYE is not an environment variable of Conch. Did you mean CONCH_API_KEY?',
      'CONCH_TRITON_HEADER must have a name of letters, digits and - _ . only.',
      'conch.yaml:1:11: api_key must be a key, or the hash of one: sha256: and 64 hexadecimal digits.',
      'conch.yaml:1:1: api_key must be text in quotes.',
      'conch.yaml:1:1: api_kye is not a key. Did you mean api_key?',
      'conch.yaml:1:10: The value begins with *, but there is no anchor of that name. Put the value in quotes.',
      'conch.yaml:2:1: A character is missing. Add the closing bracket, quote or comma.',
      'conch.yaml:1:11: Unknown escape sequence after \\. Write \\\\, or put the text in single quotes.',
      'conch.yaml:1:10: Unexpected key and value. Put a value that contains ": " in quotes.',
    ]);
  });

  it('are not printed with the settings', () => {
    const restricted = ['--openai-restricted-api', 'health', 'x-key', secret];
    const settings = load(['--api-key', secret, '--triton-header', `x: ${secret}`, '-p', '1', ...restricted], {
      environment: { HF_TOKEN: secret },
    });
    expect([settings.apiKey, settings.tritonHeader, settings.hfToken]).toEqual([[secret], { x: secret }, secret]);
    expect(settings.openaiRestrictedApi).toEqual([{ apis: ['health'], header: 'x-key', value: secret }]);
    for (const printed of [JSON.stringify({ settings }), inspect(settings)]) {
      expect(printed).not.toContain(secret);
      expect(printed).toContain('[secret]');
    }
    expect(JSON.parse(JSON.stringify(settings))).toMatchObject({ port: { value: 1, from: '-p' } });
  });
});
