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

  it('shows all commands and flags', () => {
    expect(helpText({ commands, isFull: true })).toMatchInlineSnapshot(`
      "Conch: an OpenAI-compatible server for language models on NVIDIA Triton.

      Usage: conch [command] [flags] [-- …]

      Commands:
        serve     Serve the OpenAI API (the default command).
        generate  Generate text with one model.
        help      Show help for a command, or for everything (help all).

      Triton servers:
        -t, --triton, --triton-endpoint ADDRESS
                Connect to this Triton server over gRPC. Write host:port, [v6]:port,
                or dns:name:port for every address of a name. http:// means without
                TLS, https:// and grpcs:// mean with TLS. The default port is 8001.
                [repeatable; CONCH_TRITON]
            --triton-tls
                Use TLS for Triton servers whose address has neither http:// nor
                https://. [default: on with --triton-ca, -cert, -key or -server-name;
                CONCH_TRITON_TLS]
            --triton-ca FILE
                Verify Triton servers with the CA certificates in this PEM file.
                [default: Node's CA certificates; CONCH_TRITON_CA]
            --triton-cert FILE
                Authenticate to Triton with the certificate in this PEM file.
                [CONCH_TRITON_CERT]
            --triton-key FILE
                Use the private key in this PEM file for --triton-cert.
                [CONCH_TRITON_KEY]
            --triton-server-name NAME
                Expect this name in the certificate of a Triton server, instead of the
                name in its address. [CONCH_TRITON_SERVER_NAME]
            --triton-header HEADER
                Send this header with every call to Triton. Write it as name: value or
                name=value. [repeatable; CONCH_TRITON_HEADER]
            --refresh-interval DURATION
                Set how often Conch looks for new and removed models. [default: 2s;
                CONCH_REFRESH_INTERVAL]
            --connect-timeout DURATION
                Limit the time to open a connection to Triton. [default: 5s;
                CONCH_CONNECT_TIMEOUT]
            --keepalive-interval DURATION
                Set how often Conch pings a Triton connection while calls run on it. 0
                turns pings off. Triton closes connections that ping faster than it
                allows. [default: 300s; CONCH_KEEPALIVE_INTERVAL]
            --max-message-size BYTES
                Limit the size of a message from Triton. [default: 2147483647;
                CONCH_MAX_MESSAGE_SIZE]
            --balance POLICY
                Set how Conch selects among the servers that have a model. least-load
                takes the least busy server, round-robin each in turn, random-of-two
                the less busy of two random servers. prefix takes the server that has
                seen the beginning of the prompt. [default: least-load; CONCH_BALANCE]
            --prefix-overload N
                Limit the load of the server with the warm cache to this many times
                the load of the least busy server. Applies to --balance prefix.
                [default: 2; CONCH_PREFIX_OVERLOAD]
            --first-token-timeout DURATION
                Limit the time until a server sends the first part of a streamed
                response. 0 means that only --request-timeout applies. [default: 5m;
                CONCH_FIRST_TOKEN_TIMEOUT]
            --idle-timeout DURATION
                Limit the pause of a server between two parts of a response. 0 means
                that only --request-timeout applies. [default: 2m; CONCH_IDLE_TIMEOUT]
            --retries N
                Set how often Conch retries a request that failed before the server
                sent the first part of the response. [default: 2; CONCH_RETRIES]
            --retry-budget PERCENT
                Limit the retries of --retries to this percentage of requests. A
                hundred in ten seconds are always allowed. 0 turns retries off.
                [default: 20; CONCH_RETRY_BUDGET]
            --breaker-failures N
                Send the requests for a model to other servers for a while after this
                many failures in a row on a server. 0 turns this off. [default: 5;
                CONCH_BREAKER_FAILURES]
            --breaker-backoff DURATION
                Set how long --breaker-failures sends requests to other servers at
                first. Then one request tries the server. Each failed try doubles the
                time, up to 30 times this value. [default: 1s; CONCH_BREAKER_BACKOFF]
            --ejection-time DURATION
                Set how long Conch ejects a server that fails far more often than the
                others. 0 turns ejection off. [default: 10s; CONCH_EJECTION_TIME]
            --slow-start DURATION
                Set how long a new or recovered server gets less than its share of
                requests. 0 turns slow start off. [default: 10s; CONCH_SLOW_START]
            --dns-interval DURATION
                Set how often Conch resolves the names of --triton dns:NAME:PORT
                again. [default: 10s; CONCH_DNS_INTERVAL]
            --dns-server IP[:PORT]
                Resolve the names of --triton dns:NAME:PORT with this DNS server.
                [default: the system's; CONCH_DNS_SERVER]
            --engine-check-interval DURATION
                Set how often Conch probes the engine of a vLLM or LLM API model with
                a one-token request. An engine that keeps requests waiting is probed
                sooner. 0 turns all probes off. [default: 30s;
                CONCH_ENGINE_CHECK_INTERVAL]
            --engine-recovery auto|off
                Set what Conch does about a failed engine. auto reloads its model if
                Triton runs in explicit mode. Otherwise it restarts tritonserver if
                Conch started it, else it warns. off only reports the failure.
                [default: auto; CONCH_ENGINE_RECOVERY]

      Local model repository:
            --model-repository DIR
                Serve this Triton model repository. Models with backend: "llamacpp"
                run in this process. The others run in a tritonserver that Conch
                starts. [repeatable; CONCH_MODEL_REPOSITORY]
            --tritonserver FILE
                Start this tritonserver. [default: the one on PATH or in Triton's
                containers; CONCH_TRITONSERVER]
            --model-control-mode MODE
                Set which models are loaded at the start. none loads all, explicit
                loads only those of --load-model. [default: none;
                CONCH_MODEL_CONTROL_MODE]
            --load-model MODEL
                Load this model at the start, with --model-control-mode explicit. *
                loads all models. [repeatable; CONCH_LOAD_MODEL]
            --tritonserver-log-verbose-level N
                Set how much tritonserver logs beyond info. [default: 0;
                CONCH_TRITONSERVER_LOG_VERBOSE_LEVEL]
            --world-size N
                Set the number of ranks of a TensorRT-LLM engine that spans several
                GPUs. Conch starts one tritonserver per rank with mpirun. [default: 1;
                CONCH_WORLD_SIZE]
            --dry-run
                Print the command that would start tritonserver, and exit.

      Embedded engine:
            --model [NAME=]FILE
                Serve this GGUF file. The embedded engine runs it under the name of
                the file, or under NAME with NAME=FILE. [repeatable; CONCH_MODEL]
            --lora NAME=FILE
                Add a LoRA adapter in GGUF format to the models of --model.
                [repeatable; CONCH_LORA]
            --threads N
                Set the number of threads of the embedded engine. [default: the number
                of cores minus one; CONCH_THREADS]
            --sequences N
                Set how many requests an embedded model processes at the same time.
                [default: 4; CONCH_SEQUENCES]
            --max-queue-size N
                Limit the requests that wait for an embedded model. Conch rejects
                further requests with a 429. [default: 128; CONCH_MAX_QUEUE_SIZE]

      OpenAI API:
        -H, --host ADDRESS
                Listen on this address. [default: 0.0.0.0 with --triton or
                --model-repository, 127.0.0.1 without; CONCH_HOST]
        -p, --port, --openai-port N
                Set the OpenAI API port. 0 selects a free port. [default: 9000;
                CONCH_PORT]
            --openai-restricted-api APIS HEADER VALUE
                Require this header and value in requests to some APIs. The APIs are
                inference, embedding, model-repository, metrics and health, separated
                by commas. Give three arguments or one text. In the environment
                variable, separate several with ; or a new line. [repeatable;
                CONCH_OPENAI_RESTRICTED_API]
            --request-timeout DURATION
                Limit the total time of a request. A request that takes longer ends
                with a 504. 0 means no limit. [default: 10m; CONCH_REQUEST_TIMEOUT]
            --http-max-input-size BYTES
                Limit the size of a request body. [default: 67108864;
                CONCH_HTTP_MAX_INPUT_SIZE]
            --store PLACE
                Set where responses are stored for previous_response_id. Write
                sqlite:PATH, postgres://USER:PASS@HOST/DB or none. [default:
                responses.sqlite in the cache folder; CONCH_STORE]
            --store-max-age DURATION
                Set how long a response is stored, for example 12h or 30d. [default:
                30d; CONCH_STORE_MAX_AGE]
            --store-max-size BYTES
                Limit the total size of stored responses. The oldest are deleted
                first. [default: 1GiB; CONCH_STORE_MAX_SIZE]
            --strict-fields
                Reject requests that contain unknown fields. [CONCH_STRICT_FIELDS]
            --ui
                Serve the web UI with playground and dashboard at /. [default: true;
                CONCH_UI]
            --workers N
                Set the number of workers. These processes serve requests on the same
                ports. More than one requires models on a Triton server. [default: 1;
                CONCH_WORKERS]
            --allowed-origins ORIGIN[,ORIGIN]
                Allow web pages of this origin to call the OpenAI API from a browser,
                for example https://app.example.com. * allows all origins.
                [repeatable; default: none; CONCH_ALLOWED_ORIGINS]
            --tls-cert FILE
                Serve TLS with this PEM certificate. All ports then accept only TLS.
                Conch reads the file again when it changes. [CONCH_TLS_CERT]
            --tls-key FILE
                Use this PEM private key for --tls-cert. [CONCH_TLS_KEY]
            --tls-client-ca FILE
                Accept only clients with a certificate from a CA in this PEM file.
                [CONCH_TLS_CLIENT_CA]
            --receive-timeout DURATION
                Limit the time that a request takes to arrive, its headers at most a
                minute of it. A slower request ends with a 408. 0 means no limit.
                [default: 5m; CONCH_RECEIVE_TIMEOUT]
            --slow-client-timeout DURATION
                Disconnect a client that reads nothing of its waiting data for this
                long, and cancel its generation. 0 means never. [default: 60s;
                CONCH_SLOW_CLIENT_TIMEOUT]
            --coalesce MS
                Hold back the text of streams for this long while the process is busy,
                to send fewer chunks. The maximum is 20 ms. 0 sends every token at
                once. [default: 0ms; CONCH_COALESCE]
            --drain-delay DURATION
                Accept new connections for this long after a SIGTERM, while readiness
                fails. This gives load balancers time to notice. [default: 0s;
                CONCH_DRAIN_DELAY]
            --drain-timeout DURATION
                Limit how long running requests continue after --drain-delay. Then
                they end with an error. 0 means no limit. [default: 5m;
                CONCH_DRAIN_TIMEOUT]

      Request limits:
            --http-max-headers N
                Limit the number of headers of a request. [default: 128;
                CONCH_HTTP_MAX_HEADERS]
            --http-max-header-size BYTES
                Limit the bytes of the path and headers of a request together.
                [default: 32KiB; CONCH_HTTP_MAX_HEADER_SIZE]
            --max-json-depth N
                Limit the nesting depth of a request body. [default: 128;
                CONCH_MAX_JSON_DEPTH]
            --max-json-values N
                Limit the number of values in a request body. Lists, objects and their
                entries count. [default: 1048576; CONCH_MAX_JSON_VALUES]
            --max-messages N
                Limit the messages of a conversation, or the items of a response, in
                one request. [default: 10000; CONCH_MAX_MESSAGES]
            --max-tools N
                Limit the number of tools in a request. [default: 1024;
                CONCH_MAX_TOOLS]
            --max-stop-strings N
                Limit the number of stop sequences in a request. [default: 16;
                CONCH_MAX_STOP_STRINGS]
            --max-choices N
                Limit the choices of a request: n or best_of, times its prompts.
                [default: 1024; CONCH_MAX_CHOICES]
            --max-prompt-size BYTES
                Limit the bytes of a text that Conch tokenizes: a prompt, an input, or
                a query with its document. [default: 6MiB; CONCH_MAX_PROMPT_SIZE]
            --token-cache-size BYTES
                Limit the memory of each worker for the tokens of earlier prompts.
                When a conversation grows, Conch tokenizes only the new part. 0 turns
                the cache off. [default: 64MiB; CONCH_TOKEN_CACHE_SIZE]
            --guide-quarantine DURATION
                Set how long Conch rejects a structured-output guide (JSON schema,
                regex, choices, grammar) after an engine failure followed it. 0 turns
                off the quarantine and the suspension of clients. [default: 10m;
                CONCH_GUIDE_QUARANTINE]

      API keys:
            --api-key KEY
                Require this API key as a Bearer token. It gives access to everything.
                Health endpoints need no key. Give the key itself or its hash,
                sha256:HEX. [repeatable; CONCH_API_KEY]
            --api-key-file FILE
                Require an API key from this key file. It holds keys with their
                models, limits and dates (conch keys create). Conch reads it again
                when it changes. [CONCH_API_KEY_FILE]
            --jwt-jwks FILE
                Accept JWTs as API keys. The file contains the public keys (JWKS) of
                their issuer. Conch reads it again when it changes. [CONCH_JWT_JWKS]
            --jwt-issuer ISSUER
                Set the issuer of the JWTs, as in their claim "iss".
                [CONCH_JWT_ISSUER]
            --jwt-audience AUDIENCE
                Accept only JWTs for this audience, as in their claim "aud".
                [repeatable; default: any; CONCH_JWT_AUDIENCE]
            --jwt-claim-prefix TEXT
                Set the prefix of the claims models, requests_per_minute,
                tokens_per_minute, concurrent, priority and manage. [default: conch_;
                CONCH_JWT_CLAIM_PREFIX]
            --redis URL
                Count the limits of API keys in this Redis, for several Conch servers
                together. Write redis://HOST:PORT, or rediss:// for TLS. [default:
                each server counts its own; CONCH_REDIS]

      Images:
            --max-images N
                Limit the number of images in a request. [default: 16;
                CONCH_MAX_IMAGES]
            --max-image-size BYTES
                Limit the file size of an image. [default: 20MiB;
                CONCH_MAX_IMAGE_SIZE]
            --max-image-pixels N
                Limit the pixels of an image: width times height, as in its own
                header. [default: 33554432; CONCH_MAX_IMAGE_PIXELS]
            --allow-image-urls HOST[,HOST]
                Fetch images from this host when a request names them by an http(s)
                URL. *.HOST allows every name below it. Only ports 80 and 443 are
                allowed, or the port of HOST:PORT. [repeatable; default: none;
                CONCH_ALLOW_IMAGE_URLS]
            --allow-image-addresses CIDR[,CIDR]
                Allow the hosts of --allow-image-urls to have these internal
                addresses. Without it, Conch connects only to addresses on the public
                Internet. [repeatable; default: none; CONCH_ALLOW_IMAGE_ADDRESSES]
            --image-timeout DURATION
                Limit the total time to fetch one image. [default: 10s;
                CONCH_IMAGE_TIMEOUT]

      KServe frontends:
            --enable-kserve-frontends
                Also serve the KServe v2 protocol, over HTTP and gRPC.
                [CONCH_ENABLE_KSERVE_FRONTENDS]
            --kserve-http-port N
                Set the port of the KServe HTTP frontend. 0 selects a free port.
                [default: 8000; CONCH_KSERVE_HTTP_PORT]
            --kserve-grpc-port N
                Set the port of the KServe gRPC frontend. 0 selects a free port.
                [default: 8001; CONCH_KSERVE_GRPC_PORT]

      Models:
            --lora-root DIR
                Allow POST /v1/load_lora_adapter to load LoRA adapters from this
                folder. Without it, no adapter is loaded by path. [CONCH_LORA_ROOT]
            --lora-separator TEXT
                Set the text between model and LoRA adapter in the model name of a
                request: MODEL_lora_ADAPTER. [default: _lora_; CONCH_LORA_SEPARATOR]
            --tokenizer [MODEL=]DIR
                Use this tokenizer: a folder with tokenizer.json and
                tokenizer_config.json, or a name on the Hugging Face hub. [repeatable;
                CONCH_TOKENIZER]
            --chat-template [MODEL=]FILE
                Use the Jinja chat template in this file. It replaces the tokenizer's
                own. [repeatable; CONCH_CHAT_TEMPLATE]
            --context-length [MODEL=]N
                Set the context length in tokens. Prompt and response share it.
                [repeatable; default: from the server or the tokenizer;
                CONCH_CONTEXT_LENGTH]
            --contract, --backend [MODEL=]NAME
                Override the detected contract of a model. Contracts are vllm, trtllm
                (text), trtllm-tokens (token ids, straight to the engine) and llmapi.
                tensorrtllm means any of the last three. [repeatable; default:
                detected from the model's configuration; CONCH_CONTRACT]
            --tool-call-parser [MODEL=]NAME
                Set the tool parser of a model. docs/tool-calling.md lists the names,
                for example hermes, llama3_json or mistral. none leaves tool calls as
                text. [repeatable; default: detected from the model's chat template;
                CONCH_TOOL_CALL_PARSER]
            --reasoning-parser [MODEL=]NAME
                Set the reasoning parser of a model. docs/tool-calling.md lists the
                names, for example deepseek_r1 or qwen3. none leaves reasoning as
                text. [repeatable; default: detected from the model's chat template;
                CONCH_REASONING_PARSER]
            --image-placeholder [MODEL=]TEXT
                Set the text that represents an image in the prompt. {n} in it becomes
                the number of the image. none means that the model inserts images by
                itself. [repeatable; default: from the model's chat template, else its
                tokenizer's image token; CONCH_IMAGE_PLACEHOLDER]
            --engine-dir [MODEL=]DIR
                Read the limits of a TensorRT-LLM engine from config.json in its
                folder. [repeatable; default: from the model's configuration, if
                readable; CONCH_ENGINE_DIR]
            --cancel-with [MODEL=]WAY
                Set how Conch ends a request early in a TensorRT-LLM engine. cancel
                cancels its stream. stop-input sends a second request with the input
                stop. [repeatable; default: cancel; CONCH_CANCEL_WITH]
            --max-running [MODEL=]N
                Limit the requests to a model that run at the same time, in all
                workers together. Further requests wait. [repeatable; default: no
                limit; CONCH_MAX_RUNNING]
            --max-waiting [MODEL=]N
                Limit the requests to a model that wait with --max-running. Conch
                rejects further requests with a 429. [repeatable; default: 100;
                CONCH_MAX_WAITING]
            --load-on-demand
                Load a model of a repository when a request names it. The request
                waits. Triton servers must run in explicit mode.
                [CONCH_LOAD_ON_DEMAND]
            --max-loaded N
                Limit how many models --load-on-demand has loaded at the same time.
                Conch unloads the least recently used model first. [default: no limit;
                CONCH_MAX_LOADED]
            --load-timeout DURATION
                Limit how long a model takes to load, and how long a request waits for
                it with --load-on-demand. [default: 10m; CONCH_LOAD_TIMEOUT]
            --unload-timeout DURATION
                Limit how long running requests continue when their model is unloaded.
                Then Conch cancels them. [default: 60s; CONCH_UNLOAD_TIMEOUT]
            --default-max-tokens N
                Set the token limit of requests that have none. [default: the rest of
                the context length; CONCH_DEFAULT_MAX_TOKENS]
            --max-tool-call-parse-bytes N
                Limit the bytes of a possible tool call that Conch holds back until it
                recognizes the call. Beyond that, Conch sends it as text. [default:
                131072; CONCH_MAX_TOOL_CALL_PARSE_BYTES]
            --structured-retries N
                Set how often Conch retries a response that is not the requested
                structured output. It retries where the backend cannot guide the
                output or breaks its guide. 0 rejects requests that the backend cannot
                guide. [default: 2; CONCH_STRUCTURED_RETRIES]
            --history-template TEXT
                Set the Liquid template of the prompt for models without a chat
                template. [CONCH_HISTORY_TEMPLATE]
            --history-template-file FILE
                Read the Liquid template of --history-template from this file.
                [CONCH_HISTORY_TEMPLATE_FILE]
            --cache-dir DIR
                Store downloads in this folder. [default: conch in the user's cache
                folder; CONCH_CACHE]
            --hf-endpoint URL
                Download tokenizers from this Hugging Face hub. [default:
                https://huggingface.co; CONCH_HF_ENDPOINT]
            CONCH_HF_TOKEN, HF_TOKEN, HUGGING_FACE_HUB_TOKEN
                Set the token for the Hugging Face hub. It has no flag, because other
                users can see the flags of a process.

      Logs, metrics and traces:
        -o, --otlp-endpoint URL
                Send traces to this OpenTelemetry collector. Port 4317 means gRPC and
                any other HTTP, unless OTEL_EXPORTER_OTLP_PROTOCOL is set. [default:
                from the OTEL_ environment variables, else no traces;
                CONCH_OTLP_ENDPOINT]
            --triton-metrics-port N
                Include the metrics that the Triton servers have on this port, usually
                8002, in /metrics. 0 turns this off. A server that Conch starts is
                always included. [default: 0; CONCH_TRITON_METRICS_PORT]
            --log-prompts
                Log what clients send, including prompts. Without it, Conch never logs
                a prompt. [CONCH_LOG_PROMPTS]
            --log-level, --uvicorn-log-level LEVEL
                Set the log level: trace, debug, info, warning, error or critical.
                [default: info; CONCH_LOG_LEVEL]
            --log-format json|pretty
                Set the format of log lines. [default: pretty on a terminal, json
                elsewhere; CONCH_LOG_FORMAT]

      General:
            --config FILE
                Read settings from a YAML or JSON file. [CONCH_CONFIG]
            --check
                Check the configuration and exit. This includes the files that the
                settings name.
        -h, --help
                Show this help.
            --help-all
                Show the help of all commands and flags.
        -V, --version
                Show the version.

      Flags of conch generate:
            --text TEXT
                Set the prompt.
        -s, --streaming
                Print tokens as they arrive.

      You can also set a flag by the environment variable in its brackets, or in the
      configuration file (--config) under the same name with underscores. A flag
      overrides an environment variable, and both override the file. A flag with
      [MODEL=] applies to all models, or with MODEL= to one. A flag without a value
      has a --no- version. Write a duration as 500ms, 2s, 5m or a number of seconds,
      and a size as 64MiB or a number of bytes.

      Exit codes:
        0  Stopped, and all running requests finished.
        1  Failed, or stopped and cut off requests that still ran after
           --drain-timeout.
        2  Invalid configuration. Each problem is printed on its own line.

      Examples:
        conch --triton localhost:8001 --tokenizer ./llama3
        conch -t gpu-1:8001 -t gpu-2:8001 --tokenizer qwen3=Qwen/Qwen3-8B
        CONCH_API_KEY=secret conch --config conch.yaml --check

      Read docs/settings.md about the settings and docs/cli.md about the commands.
      "
    `);
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

  it('has no colours unless it is given some', () => {
    const plain = helpText({ commands });
    const escape = String.fromCharCode(27);
    expect(plain).not.toContain(escape);
    const bold = helpText({ commands, heading: (text) => `${escape}[1m${text}${escape}[22m` });
    expect(bold).toContain(`${escape}[1mUsage:${escape}[22m conch [command] [flags] [-- …]\n`);
    expect(bold.replaceAll(`${escape}[1m`, '').replaceAll(`${escape}[22m`, '')).toBe(plain);
  });
});
