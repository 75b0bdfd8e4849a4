import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { load, problems, withFile } from '../../test/support/settings-loading.ts';

describe('mistakes', () => {
  it('are told all at once, each by its place', () => {
    const environment = { CONCH_PROT: '1', CONCH_LOG_FORMAT: 'xml' };
    const text =
      'port: high\nprot: 1\nmodels:\n  llama:\n    defaults: {temperature: 3, top_q: 1}\n    embedding: {pooling: max}\n';
    expect(
      problems(['--config', 'conch.yaml', '--prot', '1', '--port', '70000'], { environment, readFile: () => text }),
    ).toEqual([
      '--prot is not a flag. Did you mean --port?',
      'conch.yaml:2:1: prot is not a key. Did you mean port?',
      'CONCH_PROT is not a variable of Conch. Did you mean CONCH_PORT?',
      'conch.yaml:1:1: port must be a number, not "high".',
      'conch.yaml:5:16: models.llama.defaults.temperature must be at most 2, not 3.',
      'conch.yaml:5:32: models.llama.defaults.top_q is not a key. Did you mean top_p?',
      'conch.yaml:6:17: models.llama.embedding.pooling must be one of mean, cls, last, not "max".',
      'CONCH_LOG_FORMAT must be one of json, pretty, not "xml".',
      '--port must be at most 65535, not 70000.',
    ]);
  });

  it.each([
    [['--port', '1.5'], ['--port must be a whole number, not 1.5.']],
    [['--port', '-1'], ['--port must be at least 0, not -1.']],
    [['--port', ''], ['--port must be a number.']],
    [['--strict-fields=maybe'], ['--strict-fields must be true or false, not "maybe".']],
    [['--context-length', 'llama=many'], ['--context-length llama=… must be a number, not "many".']],
    [['--tokenizer', 'llama='], ['--tokenizer llama=… must not be empty.']],
    [['--backend', 'onnx'], ['--backend must be one of vllm, tensorrtllm, trtllm, trtllm-tokens, llmapi, not "onnx".']],
    [['-t', 'http://me:word@a'], ['-t must not hold a user or a password: --triton-header sends credentials.']],
    [
      ['--refresh-interval', 'soon'],
      ['--refresh-interval must be a duration such as 500ms, 2s or 5m, or a number of seconds, not "soon".'],
    ],
    [['--load-model', 'a'], ['--load-model needs --model-control-mode explicit.']],
    [['--allow-image-addresses', '::1'], ['--allow-image-addresses needs --allow-image-urls.']],
    [
      ['--model-control-mode', 'explicit', '--load-model', 'a', '--load-model', '*'],
      ['--load-model: * stands for all models, so it stands alone.'],
    ],
    [['--max-waiting', '5'], ['--max-waiting needs --max-running.']],
    [['--max-waiting', 'a=5'], ['--max-waiting: models.a.max_waiting needs max_running.']],
    [['--workers', '0'], ['--workers must be at least 1, not 0.']],
    [['--kserve-grpc-port', '8000'], ['--kserve-grpc-port: the two KServe frontends need a port each.']],
    [['-t', 'a', '-t', 'a:8001'], ['-t: a:8001 is given twice.']],
    [['--triton-cert', 'c'], ['--triton-cert: a certificate and its key go together, and triton_key is missing.']],
    [['--tls-cert', 'c'], ['--tls-cert: a certificate and its key go together, and --tls-key is missing.']],
    [['--tls-key', 'c'], ['--tls-key: a certificate and its key go together, and --tls-cert is missing.']],
    [['--tls-client-ca', 'c'], ['--tls-client-ca needs --tls-cert and --tls-key.']],
    [['--triton-key', 'c'], ['--triton-key: a certificate and its key go together, and triton_cert is missing.']],
    [['-t', 'http://a', '--triton-ca', 'c'], ['--triton-ca has no effect: no Triton server is spoken to with TLS.']],
    [
      ['--history-template', 'a', '--history-template-file', 'b'],
      ['history_template (--history-template) and history_template_file (--history-template-file) exclude each other.'],
    ],
  ])('in %j are named', (argv, expected) => {
    expect(problems(argv)).toEqual(expected);
  });

  it('in aliases are named', () => {
    expect(withFile('models:\n  a: {serves: a}\n  b: {serves: c}\n  c: {serves: d}\n')).toEqual([
      'conch.yaml:2:7: models.a.serves names the model itself.',
      'conch.yaml:3:7: models.b.serves must name a model of the server, and c is an alias too.',
    ]);
  });

  it('in the limits of another name of a model are named', () => {
    expect(withFile('max_running: 2\nmodels:\n  a: {serves: b, max_running: 1}\n  c: {max_waiting: 1}\n')).toEqual([
      'conch.yaml:3:18: models.a is another name of b; the limit belongs under models.b.',
    ]);
  });

  it('in the name of the file are named', () => {
    expect(problems(['--config', 'no/such/file.yaml'])).toEqual([
      '--config: no/such/file.yaml cannot be read: there is no such file.',
    ]);
    expect(problems(['--config', '.'])).toEqual(['--config: . cannot be read: it is a folder.']);
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
      '--triton-header must be written name: value or name=value.',
      '--port must be a number, not "x".',
      'CONCH_API_KYE is not a variable of Conch. Did you mean CONCH_API_KEY?',
      'CONCH_TRITON_HEADER must have a name of letters, digits and - _ . only.',
      'conch.yaml:1:11: api_key must be a key, or the hash of one: sha256: and 64 hexadecimal digits.',
      'conch.yaml:1:1: api_key must be text: put it in quotes.',
      'conch.yaml:1:1: api_kye is not a key. Did you mean api_key?',
      'conch.yaml:1:10: a value that begins with * names an anchor, and there is none; put it in quotes.',
      'conch.yaml:2:1: a character is missing here, such as a closing bracket, quote or comma.',
      'conch.yaml:1:11: this text has a \\ that means nothing; write \\\\, or put the text in single quotes.',
      'conch.yaml:1:10: a key and a value are not expected here; a value that holds ": " is put in quotes.',
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
