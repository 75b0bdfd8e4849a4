import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkFiles } from '../config/check-files.ts';
import type { Command } from '../config/command.ts';
import { readCommandLine } from '../config/load.ts';
import { SettingsError } from '../config/settings-error.ts';
import { checkModelSettings } from '../serve/check-model-settings.ts';
import { checkTemplates } from '../serve/check-templates.ts';
import { checkKeyFiles } from '../serve/open-keys.ts';
import { commands } from './commands.ts';
import { serveCommand } from './serve.ts';

const others = commands.slice(1).map(({ definition }) => definition);
const definitions: [Command, ...Command[]] = [serveCommand.definition, ...others];

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'conch-messages-'))));
afterAll(() => rmSync(folder, { recursive: true }));

interface Options {
  readonly environment?: Readonly<Record<string, string>>;
  /** The content of `HERE/conch.yaml`, which --config names then. */
  readonly config?: string;
}

/** What `conch` prints for a command line with --check. HERE is a temporary folder. */
async function messageOf(line: string, { environment = {}, config }: Options = {}): Promise<string> {
  const words = line.split(' ').filter((word) => word !== '');
  const argv = words.map((word) => word.replace('HERE', folder));
  const file = join(folder, 'conch.yaml');
  if (config !== undefined) {
    writeFileSync(file, config);
    argv.push('--config', file);
  }
  try {
    const invocation = readCommandLine({ argv: [...argv, '--check'], environment, commands: definitions });
    if (!('settings' in invocation)) throw new Error(`conch ${line} has no settings.`);
    const problems = await checkFiles(invocation.settings);
    if (problems.length > 0) throw new SettingsError(problems);
    checkModelSettings(invocation.settings);
    await checkKeyFiles(invocation.settings);
    await checkTemplates(invocation.settings);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map((problem) => `conch: ${problem}`.replaceAll(folder, 'HERE')).join('\n');
  }
  throw new Error(`conch ${line} has no error.`);
}

describe('a wrong flag', () => {
  it('is named with the nearest flag', async () => {
    expect(await messageOf('--prot 9000')).toMatchInlineSnapshot(`"conch: --prot is not a flag. Did you mean --port?"`);
  });

  it('is named with the help, where no flag is near', async () => {
    expect(await messageOf('--frobnicate')).toMatchInlineSnapshot(
      `"conch: --frobnicate is not a flag. Run conch help all for the flags."`,
    );
    expect(await messageOf('models --frobnicate')).toMatchInlineSnapshot(
      `"conch: --frobnicate is not a flag. Run conch models --help for the flags."`,
    );
  });

  it('of a command is not named with a flag of another one', async () => {
    expect(await messageOf('keys create alice --models llama')).toMatchInlineSnapshot(
      `"conch: --models is not a flag. Run conch keys create --help for the flags."`,
    );
    expect(await messageOf('keys create alice --expire 30d')).toMatchInlineSnapshot(
      `"conch: --expire is not a flag. Did you mean --expires?"`,
    );
  });

  it('of vLLM is named with its counterpart', async () => {
    expect(await messageOf('--ssl-certfile cert.pem')).toMatchInlineSnapshot(
      `"conch: --ssl-certfile is not a flag. Use --tls-cert instead."`,
    );
    expect(await messageOf('--served-model-name gpt-4o')).toMatchInlineSnapshot(
      `"conch: --served-model-name is not a flag. The name is that of the folder in the model repository. For an alias, use the configuration file (--config): models: {NAME: {serves: MODEL}}."`,
    );
    expect(await messageOf('--tensor-parallel-size 2')).toMatchInlineSnapshot(
      `"conch: --tensor-parallel-size is not a flag. Set it in the engine arguments of the model, which conch repo init vllm NAME writes. See docs/migrating-from-vllm.md."`,
    );
  });

  it('of another command is named with that command', async () => {
    expect(await messageOf('models --stats')).toMatchInlineSnapshot(
      `"conch: --stats is a flag of conch chat, not of conch models. Remove it."`,
    );
    expect(await messageOf('--stats')).toMatchInlineSnapshot(
      `"conch: --stats is a flag of conch chat. Write it after the command."`,
    );
    expect(await messageOf('models --port 9000')).toMatchInlineSnapshot(
      `"conch: --port has no effect on conch models. Remove it."`,
    );
  });
});

it('a wrong command is named with the nearest command', async () => {
  expect(await messageOf('modles')).toMatchInlineSnapshot(`"conch: "modles" is not a command. Did you mean models?"`);
  expect(await messageOf('frobnicate')).toMatchInlineSnapshot(
    `"conch: "frobnicate" is not a command. Run conch --help for the commands."`,
  );
  expect(await messageOf('serve llama3')).toMatchInlineSnapshot(
    `"conch: conch serve takes no argument "llama3". Set the models with --triton HOST:8001, --model-repository DIR or --model FILE.gguf."`,
  );
});

describe('a wrong value', () => {
  it('is repeated, with what is expected', async () => {
    expect(await messageOf('--port high')).toMatchInlineSnapshot(
      `"conch: --port must be a whole number from 0 to 65535, not "high"."`,
    );
    expect(await messageOf('--port 70000')).toMatchInlineSnapshot(
      `"conch: --port must be a whole number from 0 to 65535, not 70000."`,
    );
    expect(await messageOf('--strict-fields=maybe')).toMatchInlineSnapshot(
      `"conch: --strict-fields must be true or false, not "maybe"."`,
    );
    expect(await messageOf('--log-format xml')).toMatchInlineSnapshot(
      `"conch: --log-format must be one of json, pretty, not "xml"."`,
    );
    expect(await messageOf('--request-timeout soon')).toMatchInlineSnapshot(
      `"conch: --request-timeout must be a duration such as 500ms, 2s or 5m, or a number of seconds, not "soon"."`,
    );
    expect(await messageOf('--triton gpu-1:8001/v2')).toMatchInlineSnapshot(
      `"conch: --triton must be a host and a port, without a path, not "gpu-1:8001/v2"."`,
    );
  });

  it('for one model is named with the model', async () => {
    expect(await messageOf('--context-length llama3=many')).toMatchInlineSnapshot(
      `"conch: --context-length llama3=… must be a whole number of at least 1, not "many"."`,
    );
    expect(await messageOf('--tool-call-parser llama3=hermess')).toMatchInlineSnapshot(
      `"conch: --tool-call-parser (tool_call_parser): unknown parser "hermess". Did you mean hermes? Known parsers are gpt-oss, kimi_k2, minimax_m2, deepseek_v3, deepseek_v31, glm45, qwen3_coder, granite, mistral, phi4_mini, hermes, llama4_pythonic, pythonic, llama3_json, none."`,
    );
  });

  it('that may be a secret is not repeated', async () => {
    expect(await messageOf('--api-key sha256:pearl')).toMatchInlineSnapshot(
      `"conch: --api-key must be a key, or the hash of one: sha256: and 64 hexadecimal digits."`,
    );
    expect(await messageOf('--triton http://me:pearl@gpu-1:8001')).toMatchInlineSnapshot(
      `"conch: --triton must not contain a user or password: send credentials with --triton-header."`,
    );
    expect(await messageOf('--openai-restricted-api pearl x-key inference')).toMatchInlineSnapshot(
      `"conch: --openai-restricted-api must be APIS HEADER VALUE, in this order. Known APIs are inference, embedding, model-repository, metrics, health."`,
    );
  });

  it('of a restricted API is named with the known APIs', async () => {
    expect(await messageOf('--openai-restricted-api nonsense a b')).toMatchInlineSnapshot(
      `"conch: --openai-restricted-api has the unknown API "nonsense". Known APIs are inference, embedding, model-repository, metrics, health."`,
    );
  });
});

it('a flag without a value is named with its placeholder', async () => {
  expect(await messageOf('--host')).toMatchInlineSnapshot(`"conch: --host needs a value. Write --host ADDRESS."`);
  expect(await messageOf('--openai-restricted-api inference x-key')).toMatchInlineSnapshot(
    `"conch: --openai-restricted-api needs 3 values. Write --openai-restricted-api APIS HEADER VALUE."`,
  );
});

it('flags that contradict each other are named with what to change', async () => {
  expect(await messageOf('--load-model llama3')).toMatchInlineSnapshot(
    `"conch: --load-model needs --model-control-mode explicit."`,
  );
  expect(await messageOf('--tls-cert cert.pem')).toMatchInlineSnapshot(
    `"conch: --tls-cert needs --tls-key: a certificate and its private key belong together."`,
  );
  expect(await messageOf('--triton http://gpu-1:8001 --triton-ca ca.pem')).toMatchInlineSnapshot(
    `"conch: --triton-ca has no effect: no --triton address uses TLS. Write the address as grpcs://HOST:PORT."`,
  );
  expect(await messageOf('--triton gpu-1 --workers 2 --model HERE/m.gguf')).toMatchInlineSnapshot(
    `"conch: --workers 2 is not supported with HERE/m.gguf: the embedded engine runs in one process. Remove --workers, or serve only models of Triton servers."`,
  );
});

it('a missing file is named with the flag', async () => {
  expect(await messageOf('--config HERE/none.yaml')).toMatchInlineSnapshot(
    `"conch: --config: cannot read HERE/none.yaml: file not found. Check the path."`,
  );
  expect(await messageOf('--api-key-file HERE/none.yaml')).toMatchInlineSnapshot(
    `"conch: --api-key-file: file not found: HERE/none.yaml. Check the path."`,
  );
  expect(await messageOf('--chat-template HERE/none.jinja')).toMatchInlineSnapshot(
    `"conch: --chat-template: file not found: HERE/none.jinja. Check the path."`,
  );
  expect(await messageOf('--chat-template HERE')).toMatchInlineSnapshot(
    `"conch: --chat-template: HERE is not a file. Set the path of a file."`,
  );
  expect(await messageOf('--tokenizer llama3=HERE')).toMatchInlineSnapshot(
    `"conch: --tokenizer: HERE has neither tokenizer.json nor tokenizer_config.json. Set the folder of a tokenizer."`,
  );
});

it('a wrong environment variable is named with the nearest one', async () => {
  expect(await messageOf('', { environment: { CONCH_PROT: '9000' } })).toMatchInlineSnapshot(
    `"conch: CONCH_PROT is not an environment variable of Conch. Did you mean CONCH_PORT?"`,
  );
  expect(await messageOf('', { environment: { CONCH_PORT: 'high' } })).toMatchInlineSnapshot(
    `"conch: CONCH_PORT must be a whole number from 0 to 65535, not "high"."`,
  );
});

describe('a configuration file', () => {
  it('with a syntax error is named with the line and column', async () => {
    expect(await messageOf('', { config: 'host: "0.0.0.0\n' })).toMatchInlineSnapshot(
      `"conch: HERE/conch.yaml:2:1: A character is missing. Add the closing bracket, quote or comma."`,
    );
    expect(await messageOf('', { config: 'models:\n\tllama3: {}\n' })).toMatchInlineSnapshot(
      `"conch: HERE/conch.yaml:2:1: The line is indented with a tab. Use spaces."`,
    );
    expect(await messageOf('', { config: 'port: 1\nport: 2\n' })).toMatchInlineSnapshot(
      `"conch: HERE/conch.yaml:2:1: Duplicate key. Remove one of the two."`,
    );
    expect(await messageOf('', { config: '- port\n' })).toMatchInlineSnapshot(
      `"conch: HERE/conch.yaml:1:1: The file must be a map of keys and values, for example "port: 9000"."`,
    );
  });

  it('with several errors has a line for each', async () => {
    const config = `port: high
prot: 9000
frobnicate: true
models:
  llama3:
    context_length: -1
    defaults: { temperature: 3, top_q: 1 }
  gpt: { serves: llama3, tokenizer: 1 }
`;
    expect(await messageOf('', { config })).toMatchInlineSnapshot(`
      "conch: HERE/conch.yaml:2:1: prot is not a key. Did you mean port?
      conch: HERE/conch.yaml:3:1: frobnicate is not a key. See docs/settings.md.
      conch: HERE/conch.yaml:1:1: port must be a whole number from 0 to 65535, not "high".
      conch: HERE/conch.yaml:6:5: models.llama3.context_length must be a whole number of at least 1, not -1.
      conch: HERE/conch.yaml:7:17: models.llama3.defaults.temperature must be at most 2, not 3.
      conch: HERE/conch.yaml:7:33: models.llama3.defaults.top_q is not a key. Did you mean top_p?
      conch: HERE/conch.yaml:8:26: models.gpt.tokenizer must be text in quotes, not 1."
    `);
  });

  it('with an alias of an alias is named with the model to set', async () => {
    const config = 'models:\n  a: { serves: b }\n  b: { serves: llama3 }\n';
    expect(await messageOf('', { config })).toMatchInlineSnapshot(
      `"conch: HERE/conch.yaml:2:8: models.a.serves must be a model of the server, but b is an alias. Set llama3 instead."`,
    );
  });
});

it('a wrong key file is named with the line and column, without its values', async () => {
  writeFileSync(join(folder, 'keys.yaml'), 'keys:\n  - { name: alice, hash: pearl, requests: 5 }\n');
  expect(await messageOf('--api-key-file HERE/keys.yaml')).toMatchInlineSnapshot(`
    "conch: HERE/keys.yaml:2:26: keys[0].hash must be sha256: and 64 hexadecimal digits, as conch keys create writes it.
    conch: HERE/keys.yaml:2:43: keys[0].requests is not a key. Did you mean requests_per_minute?"
  `);
});

it('a chat template with a syntax error is named with the setting', async () => {
  const file = join(folder, 'broken.jinja');
  writeFileSync(file, '{{ messages[0].content }}\n{% if add_generation_prompt %}');
  expect(await messageOf('--chat-template HERE/broken.jinja')).toMatchInlineSnapshot(
    `"conch: --chat-template: The chat template is not valid Jinja: it ends inside a block. Close all blocks."`,
  );
  writeFileSync(file, '{{ messages[0].content }}\n{% elsewhere %}');
  expect(await messageOf('', { config: `models:\n  llama3:\n    chat_template: ${file}\n` })).toMatchInlineSnapshot(
    `"conch: HERE/conch.yaml:3:5: The chat template is not valid Jinja: Unknown statement type: elsewhere"`,
  );
});
