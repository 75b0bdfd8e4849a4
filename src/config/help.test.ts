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
      text: setting(z.string().optional(), 'The prompt.'),
      streaming: setting(z.boolean().default(false), 'Print tokens as they come.', { short: 's' }),
    },
    examples: ['conch generate llama3 --text Hello'],
  },
];

describe('helpText', () => {
  it('shows all of conch', () => {
    expect(helpText({ commands })).toMatchInlineSnapshot(`
      "Conch: an OpenAI-compatible server for language models on NVIDIA Triton
      Inference Server.

      Usage: conch [command] [flags] [-- …]

      Commands:
        serve     Serve the OpenAI API. This is what conch does without a command.
        generate  Generate text with one model.
        help      Show this help, or that of a command.

      Triton servers:
        -t, --triton, --triton-endpoint ADDRESS
                gRPC address of a Triton server: host:port or [v6]:port, or
                dns:name:port for every address of a name. http:// means without TLS,
                https:// and grpcs:// mean with TLS; the port is 8001 when left out.
                [repeatable; CONCH_TRITON]
            --triton-tls
                Speak TLS to the Triton servers whose address says neither http:// nor
                https://. [default: on with --triton-ca, -cert, -key or -server-name;
                CONCH_TRITON_TLS]
            --triton-ca FILE
                PEM file of the authorities that may vouch for a Triton server.
                [default: Node's own; CONCH_TRITON_CA]
            --triton-cert FILE
                PEM file of the certificate that Conch shows to Triton.
                [CONCH_TRITON_CERT]
            --triton-key FILE
                PEM file of the private key of that certificate. [CONCH_TRITON_KEY]
            --triton-server-name NAME
                Name that the certificate of a Triton server must have, instead of its
                address's. [CONCH_TRITON_SERVER_NAME]
            --triton-header HEADER
                Header for every call to Triton, as name: value or name=value.
                [repeatable; CONCH_TRITON_HEADER]
            --refresh-interval DURATION
                How often Conch looks for models that appeared or went. [default: 2s;
                CONCH_REFRESH_INTERVAL]
            --connect-timeout DURATION
                How long a connection to Triton may take to open. [default: 5s;
                CONCH_CONNECT_TIMEOUT]
            --keepalive-interval DURATION
                How often a connection to Triton is tried with a ping while calls run
                on it; 0 for never. Triton closes connections that ping faster than it
                allows. [default: 300s; CONCH_KEEPALIVE_INTERVAL]
            --max-message-size BYTES
                Largest message from Triton that is read. [default: 2147483647;
                CONCH_MAX_MESSAGE_SIZE]
            --balance POLICY
                How a server is chosen among those that have a model: the least busy
                one, each in turn, the less busy of two by chance, or the one that has
                seen the beginning of the prompt. [default: least-load; CONCH_BALANCE]
            --prefix-overload N
                With --balance prefix: how many times the load of the least busy
                server the one with the warm cache may have. [default: 2;
                CONCH_PREFIX_OVERLOAD]
            --first-token-timeout DURATION
                How long a server may take until the first response of a streamed
                answer; 0 for as long as the request may take. [default: 5m;
                CONCH_FIRST_TOKEN_TIMEOUT]
            --idle-timeout DURATION
                How long a server may pause between two responses of an answer; 0 for
                as long as the request may take. [default: 2m; CONCH_IDLE_TIMEOUT]
            --retries N
                How often a request that failed on a server before its first response
                is begun again. [default: 2; CONCH_RETRIES]
            --retry-budget PERCENT
                Such retries per hundred requests; a hundred in ten seconds are always
                allowed. 0 for none. [default: 20; CONCH_RETRY_BUDGET]
            --breaker-failures N
                Failures of a model in a row on a server after which requests go to
                other servers for a while; 0 for never. [default: 5;
                CONCH_BREAKER_FAILURES]
            --breaker-backoff DURATION
                How long that while is at first. Then one request tries; each failed
                try doubles it, up to 30 times. [default: 1s; CONCH_BREAKER_BACKOFF]
            --ejection-time DURATION
                How long a server is left out that fails far more often than the
                others; 0 for never. [default: 10s; CONCH_EJECTION_TIME]
            --slow-start DURATION
                How long a server that came or came back takes less than its share; 0
                for none. [default: 10s; CONCH_SLOW_START]
            --dns-interval DURATION
                How often the names of --triton dns:NAME:PORT are resolved again.
                [default: 10s; CONCH_DNS_INTERVAL]
            --dns-server IP[:PORT]
                DNS server that resolves them. [default: the system's;
                CONCH_DNS_SERVER]
            --engine-check-interval DURATION
                How often to probe the engine of a vLLM or LLM API model with a
                one-token request. An engine that keeps requests waiting is probed
                sooner. 0 turns all probes off. [default: 30s;
                CONCH_ENGINE_CHECK_INTERVAL]
            --engine-recovery auto|off
                What to do about a failed engine. auto: reload its model if Triton
                runs in explicit mode, else restart tritonserver if Conch started it,
                else warn. off: only report it. [default: auto; CONCH_ENGINE_RECOVERY]

      A model repository on this machine:
            --model-repository DIR
                Folder of models in the layout of Triton. Those with backend:
                "llamacpp" run in this process, the others in a tritonserver that
                Conch starts. [repeatable; CONCH_MODEL_REPOSITORY]
            --tritonserver FILE
                The tritonserver to start. [default: on PATH, or where the containers
                of Triton have it; CONCH_TRITONSERVER]
            --model-control-mode MODE
                Whether all models are loaded at the start (none), or only those of
                --load-model (explicit). [default: none; CONCH_MODEL_CONTROL_MODE]
            --load-model MODEL
                Model to load at the start, with --model-control-mode explicit; * for
                all. [repeatable; CONCH_LOAD_MODEL]
            --tritonserver-log-verbose-level N
                How much tritonserver logs beyond info. [default: 0;
                CONCH_TRITONSERVER_LOG_VERBOSE_LEVEL]
            --world-size N
                Ranks of a TensorRT-LLM engine that spans several GPUs: one
                tritonserver each, started with mpirun. [default: 1; CONCH_WORLD_SIZE]
            --dry-run
                Print the command that would start tritonserver, and exit.

      The embedded engine:
            --model [NAME=]FILE
                GGUF file to serve with the embedded engine, under the name of the
                file or as NAME=FILE. [repeatable; CONCH_MODEL]
            --lora NAME=FILE
                LoRA adapter in GGUF form for the models of --model, as NAME=FILE.
                [repeatable; CONCH_LORA]
            --threads N
                Threads of the embedded engine. [default: one less than the cores;
                CONCH_THREADS]
            --sequences N
                Requests that an embedded model answers at the same time. [default: 4;
                CONCH_SEQUENCES]
            --max-queue-size N
                Requests that may wait for an embedded model; one more is answered
                with a 429. [default: 128; CONCH_MAX_QUEUE_SIZE]

      The OpenAI API:
        -H, --host ADDRESS
                Address to listen on. [default: 0.0.0.0 with --triton or
                --model-repository, 127.0.0.1 without; CONCH_HOST]
        -p, --port, --openai-port N
                Port of the OpenAI API; 0 for any free one. [default: 9000;
                CONCH_PORT]
            --openai-restricted-api APIS HEADER VALUE
                Header and value that requests to some APIs must bring: inference,
                embedding, model-repository, metrics and health, with commas between
                them. Three arguments or one text; in the variable, ; or a new line
                parts several. [repeatable; CONCH_OPENAI_RESTRICTED_API]
            --request-timeout DURATION
                How long a request may take in all, after which it ends with a 504; 0
                for as long as it wants. [default: 10m; CONCH_REQUEST_TIMEOUT]
            --http-max-input-size BYTES
                Largest request body. [default: 67108864; CONCH_HTTP_MAX_INPUT_SIZE]
            --store PLACE
                Where responses are kept for previous_response_id: sqlite:PATH,
                postgres://USER:PASS@HOST/DB, or none. [default: responses.sqlite in
                the cache folder; CONCH_STORE]
            --store-max-age DURATION
                How long a response is kept, such as 12h or 30d. [default: 30d;
                CONCH_STORE_MAX_AGE]
            --store-max-size BYTES
                How much is kept in all; the oldest responses go first. [default:
                1GiB; CONCH_STORE_MAX_SIZE]
            --strict-fields
                Refuse a request that has a field which nobody knows.
                [CONCH_STRICT_FIELDS]
            --ui
                Serve the page with playground and dashboard at /. [default: true;
                CONCH_UI]
            --workers N
                Processes that answer requests on the same ports. More than one needs
                models on a Triton server. [default: 1; CONCH_WORKERS]
            --allowed-origins ORIGIN[,ORIGIN]
                Origin of web pages that may call the OpenAI API from a browser, such
                as https://app.example.com; * for all. [repeatable; default: none;
                CONCH_ALLOWED_ORIGINS]
            --tls-cert FILE
                PEM file of the certificate that Conch shows on its ports, which then
                speak TLS alone; read again when it changes. [CONCH_TLS_CERT]
            --tls-key FILE
                PEM file of the private key of that certificate. [CONCH_TLS_KEY]
            --tls-client-ca FILE
                PEM file of the authorities of clients: only clients with a
                certificate of theirs may connect. [CONCH_TLS_CLIENT_CA]
            --receive-timeout DURATION
                How long a request may take to arrive, its headers at most a minute of
                it; then it is a 408. 0 for as long as it wants. [default: 5m;
                CONCH_RECEIVE_TIMEOUT]
            --slow-client-timeout DURATION
                How long a client may read nothing of what waits for it before it is
                cut off and its generation cancelled; 0 for ever. [default: 60s;
                CONCH_SLOW_CLIENT_TIMEOUT]
            --coalesce MS
                How long to hold back the text of streams while the process is busy,
                to send it in fewer chunks; at most 20 ms. 0 sends every token at
                once. [default: 0ms; CONCH_COALESCE]
            --drain-delay DURATION
                How long new connections are still taken after a SIGTERM, while
                readiness says no: time for load balancers to notice. [default: 0s;
                CONCH_DRAIN_DELAY]
            --drain-timeout DURATION
                How long running requests may go on after that before they are ended
                with an error; 0 for as long as they take. [default: 5m;
                CONCH_DRAIN_TIMEOUT]

      Limits of a request:
            --http-max-headers N
                Most headers of a request. [default: 128; CONCH_HTTP_MAX_HEADERS]
            --http-max-header-size BYTES
                Most bytes of the path and headers of a request together. [default:
                32KiB; CONCH_HTTP_MAX_HEADER_SIZE]
            --max-json-depth N
                How deep lists and objects of a body may stand in each other.
                [default: 128; CONCH_MAX_JSON_DEPTH]
            --max-json-values N
                Most values of a body: entries of its lists and objects, and these
                themselves. [default: 1048576; CONCH_MAX_JSON_VALUES]
            --max-messages N
                Most messages of a conversation, or items of a response, in one
                request. [default: 10000; CONCH_MAX_MESSAGES]
            --max-tools N
                Most tools of a request. [default: 1024; CONCH_MAX_TOOLS]
            --max-stop-strings N
                Most stop texts of a request. [default: 16; CONCH_MAX_STOP_STRINGS]
            --max-choices N
                Most answers of a request: n or best_of, times its prompts. [default:
                1024; CONCH_MAX_CHOICES]
            --max-prompt-size BYTES
                Most bytes of a text that is turned into tokens: a prompt, an input,
                or a query with its document. [default: 6MiB; CONCH_MAX_PROMPT_SIZE]
            --token-cache-size BYTES
                Memory of each worker for tokens of earlier prompts: of a conversation
                that grows, only what is new is tokenized. 0 turns the cache off.
                [default: 64MiB; CONCH_TOKEN_CACHE_SIZE]
            --guide-quarantine DURATION
                How long to refuse a structured-output guide (JSON schema, regex,
                choices, grammar) after an engine failure followed it. 0 turns the
                quarantine and the suspension of clients off. [default: 10m;
                CONCH_GUIDE_QUARANTINE]

      Keys and their limits:
            --api-key KEY
                Key that opens everything but health, which needs none; a request
                brings it as a Bearer token. The key itself, or its hash: sha256:HEX.
                [repeatable; CONCH_API_KEY]
            --api-key-file FILE
                File of keys with their models, limits and dates (conch keys create).
                It is read again when it changes. [CONCH_API_KEY_FILE]
            --jwt-jwks FILE
                File with the public keys (JWKS) of an issuer whose tokens are taken
                as keys. It is read again when it changes. [CONCH_JWT_JWKS]
            --jwt-issuer ISSUER
                Issuer of those tokens, as their claim "iss" has it.
                [CONCH_JWT_ISSUER]
            --jwt-audience AUDIENCE
                Audience that those tokens must be for, as their claim "aud" has it.
                [repeatable; default: any; CONCH_JWT_AUDIENCE]
            --jwt-claim-prefix TEXT
                What stands before the claims models, requests_per_minute,
                tokens_per_minute, concurrent, priority and manage. [default: conch_;
                CONCH_JWT_CLAIM_PREFIX]
            --redis URL
                Redis that several Conches count the limits of keys in:
                redis://HOST:PORT, or rediss:// for TLS. [default: each counts for
                itself; CONCH_REDIS]

      Images in requests:
            --max-images N
                Most images of one request. [default: 16; CONCH_MAX_IMAGES]
            --max-image-size BYTES
                Largest file of an image. [default: 20MiB; CONCH_MAX_IMAGE_SIZE]
            --max-image-pixels N
                Most pixels of an image, by its own header: width times height.
                [default: 33554432; CONCH_MAX_IMAGE_PIXELS]
            --allow-image-urls HOST[,HOST]
                Host from which images are fetched where a request names them by an
                http(s) address; *.HOST is every name below it. Only the ports 80 and
                443, or the one that is named: HOST:PORT. [repeatable; default: none;
                CONCH_ALLOW_IMAGE_URLS]
            --allow-image-addresses CIDR[,CIDR]
                Inner addresses that those hosts may have: without it, only addresses
                on the open Internet are connected to. [repeatable; default: none;
                CONCH_ALLOW_IMAGE_ADDRESSES]
            --image-timeout DURATION
                How long fetching one image may take in all. [default: 10s;
                CONCH_IMAGE_TIMEOUT]

      The KServe frontends:
            --enable-kserve-frontends
                Serve the KServe v2 protocol too, over HTTP and gRPC.
                [CONCH_ENABLE_KSERVE_FRONTENDS]
            --kserve-http-port N
                Port of the KServe HTTP frontend; 0 for any free one. [default: 8000;
                CONCH_KSERVE_HTTP_PORT]
            --kserve-grpc-port N
                Port of the KServe gRPC frontend; 0 for any free one. [default: 8001;
                CONCH_KSERVE_GRPC_PORT]

      Models:
            --lora-root DIR
                Folder that POST /v1/load_lora_adapter may load LoRA adapters from;
                without it none are loaded by path. [CONCH_LORA_ROOT]
            --lora-separator TEXT
                What stands between a model and its LoRA adapter in the name of a
                request: MODEL_lora_ADAPTER. [default: _lora_; CONCH_LORA_SEPARATOR]
            --tokenizer [MODEL=]DIR
                Folder with tokenizer.json and tokenizer_config.json, or a name on the
                Hugging Face hub. [repeatable; CONCH_TOKENIZER]
            --chat-template [MODEL=]FILE
                File with a Jinja chat template, instead of the tokenizer's own.
                [repeatable; CONCH_CHAT_TEMPLATE]
            --context-length [MODEL=]N
                Tokens that prompt and answer may have together. [repeatable; default:
                what the server or the tokenizer says; CONCH_CONTEXT_LENGTH]
            --contract, --backend [MODEL=]NAME
                Which request format a model takes, instead of the one that is found:
                vllm, trtllm (text), trtllm-tokens (token ids, straight to the
                engine), llmapi, or tensorrtllm for any of these three. [repeatable;
                default: found from the model's configuration; CONCH_CONTRACT]
            --tool-call-parser [MODEL=]NAME
                How a model writes tool calls: a name from docs/tool-calling.md, such
                as hermes, llama3_json or mistral; none: its answers are text.
                [repeatable; default: found from the model's chat template;
                CONCH_TOOL_CALL_PARSER]
            --reasoning-parser [MODEL=]NAME
                How a model writes its reasoning: a name from docs/tool-calling.md,
                such as deepseek_r1 or qwen3; none: it is text. [repeatable; default:
                found from the model's chat template; CONCH_REASONING_PARSER]
            --image-placeholder [MODEL=]TEXT
                Text that stands for an image in the prompt, {n} in it for the number
                of the image; none: the model puts images in by itself. [repeatable;
                default: what the model's chat template writes, else its tokenizer's
                token for images; CONCH_IMAGE_PLACEHOLDER]
            --engine-dir [MODEL=]DIR
                Folder of a TensorRT-LLM engine, whose config.json tells its limits.
                [repeatable; default: what the model's configuration says, where it
                can be read; CONCH_ENGINE_DIR]
            --cancel-with [MODEL=]WAY
                How a request is ended early in a TensorRT-LLM engine: by cancelling
                its stream, or with a second request that carries the input stop.
                [repeatable; default: cancel; CONCH_CANCEL_WITH]
            --max-running [MODEL=]N
                Requests to a model that run at the same time, in all workers
                together; further ones wait. [repeatable; default: any number;
                CONCH_MAX_RUNNING]
            --max-waiting [MODEL=]N
                With --max-running: requests to a model that wait; one more is
                answered with a 429. [repeatable; default: 100; CONCH_MAX_WAITING]
            --load-on-demand
                Load a model of a repository when a request names it; the request
                waits. Servers must be in explicit mode. [CONCH_LOAD_ON_DEMAND]
            --max-loaded N
                With --load-on-demand: models that are loaded at the same time. The
                one that was used the longest time ago makes room. [default: any
                number; CONCH_MAX_LOADED]
            --load-timeout DURATION
                How long a model may take to load, and a request may wait for it with
                --load-on-demand. [default: 10m; CONCH_LOAD_TIMEOUT]
            --unload-timeout DURATION
                How long the running requests of a model that is unloaded may take to
                end, after which they are cancelled. [default: 60s;
                CONCH_UNLOAD_TIMEOUT]
            --default-max-tokens N
                Most tokens of an answer whose request does not say. [default: the
                room that the context has; CONCH_DEFAULT_MAX_TOKENS]
            --max-tool-call-parse-bytes N
                Most text of a tool call that is held back until it is known what it
                is; beyond, it is given as text. [default: 131072;
                CONCH_MAX_TOOL_CALL_PARSE_BYTES]
            --structured-retries N
                How often a response without the structure that was asked for is
                requested again, where the backend cannot guide it or breaks its
                guide; 0 rejects requests that the backend cannot guide. [default: 2;
                CONCH_STRUCTURED_RETRIES]
            --history-template TEXT
                Liquid template of the prompt, for models without a chat template.
                [CONCH_HISTORY_TEMPLATE]
            --history-template-file FILE
                File with such a Liquid template. [CONCH_HISTORY_TEMPLATE_FILE]
            --cache-dir DIR
                Folder for what Conch downloads. [default: conch in the user's cache
                folder; CONCH_CACHE]
            --hf-endpoint URL
                Hugging Face hub that tokenizers are fetched from. [default:
                https://huggingface.co; CONCH_HF_ENDPOINT]
            CONCH_HF_TOKEN, HF_TOKEN, HUGGING_FACE_HUB_TOKEN
                Token for that hub. It has no flag: other users see the flags of a
                process.

      Logs, metrics and traces:
        -o, --otlp-endpoint URL
                Address of an OpenTelemetry collector that traces are sent to; gRPC on
                port 4317, HTTP on any other unless OTEL_EXPORTER_OTLP_PROTOCOL says
                so. [default: what the OTEL_ variables say, or no traces;
                CONCH_OTLP_ENDPOINT]
            --triton-metrics-port N
                Port where the Triton servers tell their own metrics, usually 8002, to
                be passed on under /metrics; 0 for none. One that Conch starts is
                always asked. [default: 0; CONCH_TRITON_METRICS_PORT]
            --log-prompts
                Write what clients send to the log, prompts and all. Without it no
                prompt is ever logged. [CONCH_LOG_PROMPTS]
            --log-level, --uvicorn-log-level LEVEL
                How much is logged: trace, debug, info, warning, error or critical.
                [default: info; CONCH_LOG_LEVEL]
            --log-format json|pretty
                How a log line looks. [default: pretty on a terminal, json elsewhere;
                CONCH_LOG_FORMAT]

      General:
            --config FILE
                YAML or JSON file with settings. [CONCH_CONFIG]
            --check
                Check the settings and the files that they name, and exit.
        -h, --help
                Show this help.
        -V, --version
                Show the version.

      Every flag that shows a variable can also be given by it, or in the file of
      --config under the same name with underscores: a flag is stronger than a
      variable, a variable stronger than the file. A flag with [MODEL=] holds for all
      models, or with MODEL= for one. A flag without a value has a --no- form.
      Durations are written 500ms, 2s, 5m or as seconds, sizes 64MiB or as bytes.

      Exit codes:
        0    It was told to stop, and what ran then has ended.
        1    It was told to stop, and what still ran after --drain-timeout was cut
             off; or it failed.
        2    It could not begin: a flag, a variable, a file or what it needs is wrong,
             and a line says what.

      Examples:
        conch --triton localhost:8001 --tokenizer ./llama3
        conch -t gpu-1:8001 -t gpu-2:8001 --tokenizer qwen3=Qwen/Qwen3-8B
        CONCH_API_KEY=secret conch --config conch.yaml --check
      "
    `);
  });

  it('shows one command with its own flags', () => {
    expect(helpText({ commands, command: 'generate', width: 100 })).toMatchInlineSnapshot(`
      "Generate text with one model.

      Usage: conch generate [flags] MODEL [-- …]

      Flags of this command:
            --text TEXT
                The prompt.
        -s, --streaming
                Print tokens as they come.

      Logs, metrics and traces:
        -o, --otlp-endpoint URL
                Address of an OpenTelemetry collector that traces are sent to; gRPC on port 4317, HTTP on
                any other unless OTEL_EXPORTER_OTLP_PROTOCOL says so. [default: what the OTEL_ variables
                say, or no traces; CONCH_OTLP_ENDPOINT]
            --triton-metrics-port N
                Port where the Triton servers tell their own metrics, usually 8002, to be passed on under
                /metrics; 0 for none. One that Conch starts is always asked. [default: 0;
                CONCH_TRITON_METRICS_PORT]
            --log-prompts
                Write what clients send to the log, prompts and all. Without it no prompt is ever logged.
                [CONCH_LOG_PROMPTS]
            --log-level, --uvicorn-log-level LEVEL
                How much is logged: trace, debug, info, warning, error or critical. [default: info;
                CONCH_LOG_LEVEL]
            --log-format json|pretty
                How a log line looks. [default: pretty on a terminal, json elsewhere; CONCH_LOG_FORMAT]

      General:
            --config FILE
                YAML or JSON file with settings. [CONCH_CONFIG]
            --check
                Check the settings and the files that they name, and exit.
        -h, --help
                Show this help.
        -V, --version
                Show the version.

      Every flag that shows a variable can also be given by it, or in the file of --config under the same
      name with underscores: a flag is stronger than a variable, a variable stronger than the file. A flag
      with [MODEL=] holds for all models, or with MODEL= for one. A flag without a value has a --no- form.
      Durations are written 500ms, 2s, 5m or as seconds, sizes 64MiB or as bytes.

      Exit codes:
        0    Done.
        2    It could not begin: a flag, a variable, a file or what it needs is wrong, and a line says
             what.

      Examples:
        conch generate llama3 --text Hello
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
        'conch keys COMMAND --help shows the flags of one.\n',
    );
  });

  it('stays within the width, except for flags and examples', () => {
    for (const width of [40, 60, 80, 120, 200]) {
      const help = helpText({ commands: [{ ...defaultCommand, examples: [] }], width });
      const long = help.split('\n').filter((line) => line.length > width && !/^ +-|^ +\[?CONCH_/.test(line));
      expect(long).toEqual([]);
    }
  });

  it('has no colours unless it is given some', () => {
    const plain = helpText({ commands });
    const escape = String.fromCharCode(27);
    expect(plain).not.toContain(escape);
    const bold = helpText({ commands, heading: (text) => `${escape}[1m${text}${escape}[22m` });
    expect(bold).toContain(`${escape}[1mUsage:${escape}[22m conch [command] [flags] [-- …]\n`);
    expect(bold.replaceAll(`${escape}[1m`, '').replaceAll(`${escape}[22m`, '')).toBe(plain);
  });
});
