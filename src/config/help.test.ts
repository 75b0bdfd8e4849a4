import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Command, defaultCommand } from './command.ts';
import { helpText } from './help.ts';
import { setting } from './setting.ts';

const commands: readonly [Command, ...Command[]] = [
  defaultCommand,
  {
    name: 'generate',
    summary: 'Generate text with one model',
    groups: ['logs'],
    arguments: 'MODEL',
    takesRest: true,
    flags: {
      text: setting(z.string().optional(), 'Set the prompt.'),
      streaming: setting(z.boolean().default(false), 'Print tokens as they arrive.', { short: 's' }),
    },
    examples: ['conch generate llama3 --text Hello'],
  },
];

describe('helpText', () => {
  it('shows the commands and the common flags', () => {
    expect(helpText({ commands })).toMatchInlineSnapshot(`
      "Conch: an OpenAI-compatible server for language models on NVIDIA Triton.

      Usage: conch [command] [flags] [-- …]

      Commands:
        serve     Serve the OpenAI API (the default command).
        generate  Generate text with one model.
        help      Show help for a command, or for everything (help all).

      Common flags:
        -t, --triton ADDRESS                 Connect to this Triton server over gRPC.
            --model-repository DIR           Serve this Triton model repository.
            --model [NAME=]FILE              Serve this GGUF file.
        -H, --host ADDRESS                   Listen on this address.
        -p, --port N                         Set the OpenAI API port. [default: 9000]
            --workers N                      Set the number of workers. [default: 1]
            --api-key KEY                    Require this API key as a Bearer token.
            --api-key-file FILE              Require an API key from this key file.
            --tls-cert FILE                  Serve TLS with this PEM certificate.
            --tls-key FILE                   Use this PEM private key for --tls-cert.
            --tokenizer [MODEL=]DIR          Use this tokenizer.
            --chat-template [MODEL=]FILE     Use the Jinja chat template in this file.
            --context-length [MODEL=]N       Set the context length in tokens.
            --tool-call-parser [MODEL=]NAME  Set the tool parser of a model.
            --reasoning-parser [MODEL=]NAME  Set the reasoning parser of a model.
            --log-level LEVEL                Set the log level. [default: info]
            --config FILE                    Read settings from a YAML or JSON file.
            --check                          Check the configuration and exit.
        -h, --help                           Show this help.
        -V, --version                        Show the version.

      Examples:
        conch --triton localhost:8001 --tokenizer ./llama3
        conch -t gpu-1:8001 -t gpu-2:8001 --tokenizer qwen3=Qwen/Qwen3-8B
        CONCH_API_KEY=secret conch --config conch.yaml --check

      Run conch COMMAND --help for one command, or conch help all for every flag.
      Read docs/README.md for guides and the reference.
      "
    `);
  });

  it('shows all commands and flags', async () => {
    const help = helpText({ commands, isFull: true });
    await expect(help).toMatchFileSnapshot('__snapshots__/help-all.txt');
  });

  it('shows one command with its own flags', () => {
    expect(helpText({ commands, command: 'generate', width: 100 })).toMatchInlineSnapshot(`
      "Generate text with one model.

      Usage: conch generate [flags] MODEL [-- …]

      Flags of this command:
            --text TEXT
                Set the prompt.
        -s, --streaming
                Print tokens as they arrive.

      Logs, metrics and traces:
        -o, --otlp-endpoint URL
                Send traces to this OpenTelemetry collector. Port 4317 means gRPC and any other HTTP,
                unless OTEL_EXPORTER_OTLP_PROTOCOL is set. [default: from the OTEL_ environment variables,
                else no traces; CONCH_OTLP_ENDPOINT]
            --triton-metrics-port N
                Include the metrics that the Triton servers have on this port, usually 8002, in /metrics.
                0 turns this off. A server that Conch starts is always included. [default: 0;
                CONCH_TRITON_METRICS_PORT]
            --log-prompts
                Log what clients send, including prompts. Without it, Conch never logs a prompt.
                [CONCH_LOG_PROMPTS]
            --log-level, --uvicorn-log-level LEVEL
                Set the log level: trace, debug, info, warning, error or critical. [default: info;
                CONCH_LOG_LEVEL]
            --log-format json|pretty
                Set the format of log lines. [default: pretty on a terminal, json elsewhere;
                CONCH_LOG_FORMAT]

      General:
            --config FILE
                Read settings from a YAML or JSON file. [CONCH_CONFIG]
            --check
                Check the configuration and exit. This includes the files that the settings name.
        -h, --help
                Show this help.
            --help-all
                Show the help of all commands and flags.
        -V, --version
                Show the version.

      You can also set a flag by the environment variable in its brackets, or in the configuration file
      (--config) under the same name with underscores. A flag overrides an environment variable, and both
      override the file. A flag with [MODEL=] applies to all models, or with MODEL= to one. A flag without
      a value has a --no- version. Write a duration as 500ms, 2s, 5m or a number of seconds, and a size as
      64MiB or a number of bytes.

      Exit codes:
        0  Success.
        2  Invalid configuration. Each problem is printed on its own line.

      Examples:
        conch generate llama3 --text Hello

      Run conch help all for all commands and flags. Read docs/cli.md for more.
      "
    `);
  });

  it('shows the commands that begin with one word', () => {
    const keys = { summary: 'Do a thing with keys', groups: [] };
    const several = [
      { ...keys, name: 'keys create' },
      { ...keys, name: 'keys list' },
    ];
    expect(helpText({ commands: [...commands, ...several], command: 'keys' })).toBe(
      'Usage: conch keys COMMAND [flags]\n\n' +
        'Commands:\n  keys create  Do a thing with keys.\n  keys list    Do a thing with keys.\n\n' +
        'Run conch keys COMMAND --help for one command.\n',
    );
  });

  it('stays within the width, except for flags and examples', () => {
    for (const width of [40, 60, 80, 120, 200]) {
      for (const isFull of [false, true]) {
        const help = helpText({ commands: [{ ...defaultCommand, examples: [] }], isFull, width });
        const long = help.split('\n').filter((line) => line.length > width && !/^ +-|^ +\[?CONCH_/.test(line));
        expect(long).toEqual([]);
      }
    }
  });

  it('has no colours by default', () => {
    const plain = helpText({ commands });
    const escape = String.fromCharCode(27);
    expect(plain).not.toContain(escape);
    const bold = helpText({ commands, heading: (text) => `${escape}[1m${text}${escape}[22m` });
    expect(bold).toContain(`${escape}[1mUsage:${escape}[22m conch [command] [flags] [-- …]\n`);
    expect(bold.replaceAll(`${escape}[1m`, '').replaceAll(`${escape}[22m`, '')).toBe(plain);
  });
});
