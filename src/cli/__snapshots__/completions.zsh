#compdef conch
# Completions of conch for zsh. For every new shell, in ~/.zshrc after compinit: source <(conch completions zsh)
_conch() {
  local command='' longer word
  for word in "${(@)words[2,CURRENT-1]}"; do
    longer="${command:+$command }$word"
    case $longer in
      (engine|repo|keys|serve|chat|models|doctor|generate|'engine install'|'repo init'|'repo fill'|'repo check'|'keys create'|'keys list'|'keys revoke'|bench|completions|help) command=$longer ;;
    esac
  done
  case $command in
    (engine) compadd -- install ;;
    (repo) compadd -- init fill check ;;
    (keys) compadd -- create list revoke ;;
    (''|serve)
      _arguments \
        '*--triton=[Connect to this Triton server over gRPC]:ADDRESS: ' \
        '*--triton-endpoint=[Connect to this Triton server over gRPC]:ADDRESS: ' \
        '*-t[Connect to this Triton server over gRPC]:ADDRESS: ' \
        '*--triton-tls[Use TLS for Triton servers whose address has neither http:// nor https://]' \
        '*--no-triton-tls[Turn off --triton-tls]' \
        '*--triton-ca=[Verify Triton servers with the CA certificates in this PEM file]:FILE:_files' \
        '*--triton-cert=[Authenticate to Triton with the certificate in this PEM file]:FILE:_files' \
        '*--triton-key=[Use the private key in this PEM file for --triton-cert]:FILE:_files' \
        '*--triton-server-name=[Expect this name in the certificate of a Triton server, instead of the name in its address]:NAME: ' \
        '*--triton-header=[Send this header with every call to Triton]:HEADER: ' \
        '*--triton-model=[Serve this model of a server without a model index, for example Dynamo]:NAME: ' \
        '*--refresh-interval=[Set how often Conch looks for new and removed models]:DURATION: ' \
        '*--connect-timeout=[Limit the time to open a connection to Triton]:DURATION: ' \
        '*--keepalive-interval=[Set how often Conch pings a Triton connection while calls run on it]:DURATION: ' \
        '*--max-message-size=[Limit the size of a message from Triton]:BYTES: ' \
        '*--balance=[Set how Conch selects among the servers that have a model]:POLICY:(least-load round-robin random-of-two prefix)' \
        '*--prefix-overload=[Limit the load of the server with the warm cache to this many times the load of the least busy server]:N: ' \
        '*--first-token-timeout=[Limit the time until a server sends the first part of a streamed response]:DURATION: ' \
        '*--idle-timeout=[Limit the pause of a server between two parts of a response]:DURATION: ' \
        '*--retries=[Set how often Conch retries a request that failed before the server sent the first part of the response]:N: ' \
        '*--retry-budget=[Limit the retries of --retries to this percentage of requests]:PERCENT: ' \
        '*--breaker-failures=[Send the requests for a model to other servers for a while after this many failures in a row on a server]:N: ' \
        '*--breaker-backoff=[Set how long --breaker-failures sends requests to other servers at first]:DURATION: ' \
        '*--ejection-time=[Set how long Conch ejects a server that fails far more often than the others]:DURATION: ' \
        '*--slow-start=[Set how long a new or recovered server gets less than its share of requests]:DURATION: ' \
        '*--dns-interval=[Set how often Conch resolves the names of --triton dns:NAME:PORT again]:DURATION: ' \
        '*--dns-server=[Resolve the names of --triton dns:NAME:PORT with this DNS server]:IP[ PORT]: ' \
        '*--engine-check-interval=[Set how often Conch probes the engine of a vLLM or LLM API model with a one-token request]:DURATION: ' \
        '*--engine-recovery=[Set what Conch does about a failed engine]:auto|off:(auto off)' \
        '*--model-repository=[Serve this Triton model repository]:DIR:_files -/' \
        '*--tritonserver=[Start this tritonserver]:FILE:_files' \
        '*--model-control-mode=[Set which models are loaded at the start]:MODE:(none explicit)' \
        '*--load-model=[Load this model at the start, with --model-control-mode explicit]:MODEL: ' \
        '*--tritonserver-log-verbose-level=[Set how much tritonserver logs beyond info]:N: ' \
        '*--world-size=[Set the number of ranks of a TensorRT-LLM engine that spans several GPUs]:N: ' \
        '*--dry-run[Print the command that would start tritonserver, and exit]' \
        '*--model=[Serve this GGUF file]:[NAME=]FILE:_files' \
        '*--lora=[Add a LoRA adapter in GGUF format to the models of --model]:NAME=FILE:_files' \
        '*--threads=[Set the number of threads of the embedded engine]:N: ' \
        '*--sequences=[Set how many requests an embedded model processes at the same time]:N: ' \
        '*--max-queue-size=[Limit the requests that wait for an embedded model]:N: ' \
        '*--host=[Listen on this address]:ADDRESS: ' \
        '*-H[Listen on this address]:ADDRESS: ' \
        '*--port=[Set the OpenAI API port]:N: ' \
        '*--openai-port=[Set the OpenAI API port]:N: ' \
        '*-p[Set the OpenAI API port]:N: ' \
        '*--openai-restricted-api=[Require this header and value in requests to some APIs]:APIS: ' \
        '*--request-timeout=[Limit the total time of a request]:DURATION: ' \
        '*--http-max-input-size=[Limit the size of a request body]:BYTES: ' \
        '*--store=[Set where responses are stored for previous_response_id]:PLACE: ' \
        '*--store-max-age=[Set how long a response is stored, for example 12h or 30d]:DURATION: ' \
        '*--store-max-size=[Limit the total size of stored responses]:BYTES: ' \
        '*--strict-fields[Reject requests with fields that are unknown or have no effect]' \
        '*--no-strict-fields[Turn off --strict-fields]' \
        '*--ui[Serve the web UI with playground and dashboard at /]' \
        '*--no-ui[Turn off --ui]' \
        '*--workers=[Set the number of workers]:N: ' \
        '*--allowed-origins=[Allow web pages of this origin to call the OpenAI API from a browser, for example https://app.example.com]:ORIGIN[,ORIGIN]: ' \
        '*--tls-cert=[Serve TLS with this PEM certificate]:FILE:_files' \
        '*--tls-key=[Use this PEM private key for --tls-cert]:FILE:_files' \
        '*--tls-client-ca=[Accept only clients with a certificate from a CA in this PEM file]:FILE:_files' \
        '*--receive-timeout=[Limit the time that a request takes to arrive, its headers at most a minute of it]:DURATION: ' \
        '*--slow-client-timeout=[Disconnect a client that reads nothing of its waiting data for this long, and cancel its generation]:DURATION: ' \
        '*--coalesce=[Hold back the text of streams for this long while the process is busy, to send fewer chunks]:MS: ' \
        '*--drain-delay=[Accept new connections for this long after a SIGTERM, while readiness fails]:DURATION: ' \
        '*--drain-timeout=[Limit how long running requests continue after --drain-delay]:DURATION: ' \
        '*--http-max-headers=[Limit the number of headers of a request]:N: ' \
        '*--http-max-header-size=[Limit the bytes of the path and headers of a request together]:BYTES: ' \
        '*--max-json-depth=[Limit the nesting depth of a request body]:N: ' \
        '*--max-json-values=[Limit the number of values in a request body]:N: ' \
        '*--max-messages=[Limit the messages of a conversation, or the items of a response, in one request]:N: ' \
        '*--max-tools=[Limit the number of tools in a request]:N: ' \
        '*--max-stop-strings=[Limit the number of stop sequences in a request]:N: ' \
        '*--max-choices=[Limit the choices of a request]:N: ' \
        '*--max-prompt-size=[Limit the bytes of a text that Conch tokenizes]:BYTES: ' \
        '*--token-cache-size=[Limit the memory of each worker for the tokens of earlier prompts]:BYTES: ' \
        '*--guide-quarantine=[Set how long Conch rejects a structured-output guide (JSON schema, regex, choices, grammar) after an engine failure followed it]:DURATION: ' \
        '*--api-key=[Require this API key as a Bearer token]:KEY: ' \
        '*--api-key-file=[Require an API key from this key file]:FILE:_files' \
        '*--jwt-jwks=[Accept JWTs as API keys]:FILE:_files' \
        '*--jwt-issuer=[Set the issuer of the JWTs, as in their claim iss]:ISSUER: ' \
        '*--jwt-audience=[Accept only JWTs for this audience, as in their claim aud]:AUDIENCE: ' \
        '*--jwt-claim-prefix=[Set the prefix of the claims models, requests_per_minute, tokens_per_minute, concurrent, priority and manage]:TEXT: ' \
        '*--redis=[Count the limits of API keys in this Redis, for several Conch servers together]:URL: ' \
        '*--max-images=[Limit the number of images in a request]:N: ' \
        '*--max-image-size=[Limit the file size of an image]:BYTES: ' \
        '*--max-image-pixels=[Limit the pixels of an image]:N: ' \
        '*--allow-image-urls=[Fetch images from this host when a request names them by an http(s) URL]:HOST[,HOST]: ' \
        '*--allow-image-addresses=[Allow the hosts of --allow-image-urls to have these internal addresses]:CIDR[,CIDR]: ' \
        '*--image-timeout=[Limit the total time to fetch one image]:DURATION: ' \
        '*--enable-kserve-frontends[Also serve the KServe v2 protocol, over HTTP and gRPC]' \
        '*--no-enable-kserve-frontends[Turn off --enable-kserve-frontends]' \
        '*--kserve-http-port=[Set the port of the KServe HTTP frontend]:N: ' \
        '*--kserve-grpc-port=[Set the port of the KServe gRPC frontend]:N: ' \
        '*--lora-root=[Allow POST /v1/load_lora_adapter to load LoRA adapters from this folder]:DIR:_files -/' \
        '*--lora-separator=[Set the text between model and LoRA adapter in the model name of a request]:TEXT: ' \
        '*--tokenizer=[Use this tokenizer]:[MODEL=]DIR:_files -/' \
        '*--chat-template=[Use the Jinja chat template in this file]:[MODEL=]FILE:_files' \
        '*--context-length=[Set the context length in tokens]:[MODEL=]N: ' \
        '*--contract=[Override the detected contract of a model]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens)' \
        '*--backend=[Override the detected contract of a model]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens)' \
        '*--tool-call-parser=[Set the tool parser of a model]:[MODEL=]NAME: ' \
        '*--reasoning-parser=[Set the reasoning parser of a model]:[MODEL=]NAME: ' \
        '*--tool-prompt=[Describe tools with this text in the system message, if the chat template does not support tools]:[MODEL=]TEXT: ' \
        '*--image-placeholder=[Set the text that represents an image in the prompt]:[MODEL=]TEXT: ' \
        '*--engine-dir=[Read the limits of a TensorRT-LLM engine from config.json in its folder]:[MODEL=]DIR:_files -/' \
        '*--cancel-with=[Set how Conch ends a request early in a TensorRT-LLM engine]:[MODEL=]WAY:(cancel stop-input)' \
        '*--max-running=[Limit the requests to a model that run at the same time, in all workers together]:[MODEL=]N: ' \
        '*--max-waiting=[Limit the requests to a model that wait with --max-running]:[MODEL=]N: ' \
        '*--load-on-demand[Load a model of a repository when a request names it]' \
        '*--no-load-on-demand[Turn off --load-on-demand]' \
        '*--max-loaded=[Limit how many models --load-on-demand has loaded at the same time]:N: ' \
        '*--load-timeout=[Limit how long a model takes to load, and how long a request waits for it with --load-on-demand]:DURATION: ' \
        '*--unload-timeout=[Limit how long running requests continue when their model is unloaded]:DURATION: ' \
        '*--default-max-tokens=[Set the token limit of requests that have none]:N: ' \
        '*--max-tool-call-parse-bytes=[Limit the bytes of a possible tool call that Conch holds back until it recognizes the call]:N: ' \
        '*--structured-retries=[Set how often Conch retries a response that is not the requested structured output]:N: ' \
        '*--history-template=[Set the Liquid template of the prompt for models without a chat template]:TEXT: ' \
        '*--history-template-file=[Read the Liquid template of --history-template from this file]:FILE:_files' \
        '*--cache-dir=[Store downloads in this folder]:DIR:_files -/' \
        '*--hf-endpoint=[Download tokenizers from this Hugging Face hub]:URL: ' \
        '*--otlp-endpoint=[Send traces to this OpenTelemetry collector]:URL: ' \
        '*-o[Send traces to this OpenTelemetry collector]:URL: ' \
        '*--triton-metrics-port=[Include the metrics that the Triton servers have on this port, usually 8002, in /metrics]:N: ' \
        '*--log-prompts[Log what clients send, including prompts]' \
        '*--no-log-prompts[Turn off --log-prompts]' \
        '*--log-level=[Set the log level]:LEVEL:(trace debug info warn warning error fatal critical)' \
        '*--uvicorn-log-level=[Set the log level]:LEVEL:(trace debug info warn warning error fatal critical)' \
        '*--log-format=[Set the format of log lines]:json|pretty:(json pretty)' \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*: :(serve chat models doctor generate engine repo keys bench completions help)'
      ;;
    (chat)
      _arguments \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--url=[Chat with this server, with or without /v1 in its URL]:URL: ' \
        '*--api-key=[Send this API key as a Bearer token]:KEY: ' \
        '*--header=[Send this header with every request]:NAME VALUE: ' \
        '*--ca=[Verify the server with the CA certificates in this PEM file]:FILE:_files' \
        '*--insecure[Do not verify the server'\''s certificate]' \
        '*--system=[Set the system message]:TEXT: ' \
        '*--set=[Set a field of every request, for example temperature=0.2]:NAME=VALUE: ' \
        '*--reasoning[Show the model'\''s reasoning before its response]' \
        '*--no-reasoning[Turn off --reasoning]' \
        '*--stats[Show the tokens, time to first token and tokens per second after each response]' \
        '*--history[Store the typed lines in the cache folder for the next chat]' \
        '*--no-history[Turn off --history]' \
        '*: : '
      ;;
    (models)
      _arguments \
        '*--triton=[Connect to this Triton server over gRPC]:ADDRESS: ' \
        '*--triton-endpoint=[Connect to this Triton server over gRPC]:ADDRESS: ' \
        '*-t[Connect to this Triton server over gRPC]:ADDRESS: ' \
        '*--triton-tls[Use TLS for Triton servers whose address has neither http:// nor https://]' \
        '*--no-triton-tls[Turn off --triton-tls]' \
        '*--triton-ca=[Verify Triton servers with the CA certificates in this PEM file]:FILE:_files' \
        '*--triton-cert=[Authenticate to Triton with the certificate in this PEM file]:FILE:_files' \
        '*--triton-key=[Use the private key in this PEM file for --triton-cert]:FILE:_files' \
        '*--triton-server-name=[Expect this name in the certificate of a Triton server, instead of the name in its address]:NAME: ' \
        '*--triton-header=[Send this header with every call to Triton]:HEADER: ' \
        '*--triton-model=[Serve this model of a server without a model index, for example Dynamo]:NAME: ' \
        '*--refresh-interval=[Set how often Conch looks for new and removed models]:DURATION: ' \
        '*--connect-timeout=[Limit the time to open a connection to Triton]:DURATION: ' \
        '*--keepalive-interval=[Set how often Conch pings a Triton connection while calls run on it]:DURATION: ' \
        '*--max-message-size=[Limit the size of a message from Triton]:BYTES: ' \
        '*--balance=[Set how Conch selects among the servers that have a model]:POLICY:(least-load round-robin random-of-two prefix)' \
        '*--prefix-overload=[Limit the load of the server with the warm cache to this many times the load of the least busy server]:N: ' \
        '*--first-token-timeout=[Limit the time until a server sends the first part of a streamed response]:DURATION: ' \
        '*--idle-timeout=[Limit the pause of a server between two parts of a response]:DURATION: ' \
        '*--retries=[Set how often Conch retries a request that failed before the server sent the first part of the response]:N: ' \
        '*--retry-budget=[Limit the retries of --retries to this percentage of requests]:PERCENT: ' \
        '*--breaker-failures=[Send the requests for a model to other servers for a while after this many failures in a row on a server]:N: ' \
        '*--breaker-backoff=[Set how long --breaker-failures sends requests to other servers at first]:DURATION: ' \
        '*--ejection-time=[Set how long Conch ejects a server that fails far more often than the others]:DURATION: ' \
        '*--slow-start=[Set how long a new or recovered server gets less than its share of requests]:DURATION: ' \
        '*--dns-interval=[Set how often Conch resolves the names of --triton dns:NAME:PORT again]:DURATION: ' \
        '*--dns-server=[Resolve the names of --triton dns:NAME:PORT with this DNS server]:IP[ PORT]: ' \
        '*--engine-check-interval=[Set how often Conch probes the engine of a vLLM or LLM API model with a one-token request]:DURATION: ' \
        '*--engine-recovery=[Set what Conch does about a failed engine]:auto|off:(auto off)' \
        '*--model-repository=[Serve this Triton model repository]:DIR:_files -/' \
        '*--tritonserver=[Start this tritonserver]:FILE:_files' \
        '*--model-control-mode=[Set which models are loaded at the start]:MODE:(none explicit)' \
        '*--load-model=[Load this model at the start, with --model-control-mode explicit]:MODEL: ' \
        '*--tritonserver-log-verbose-level=[Set how much tritonserver logs beyond info]:N: ' \
        '*--world-size=[Set the number of ranks of a TensorRT-LLM engine that spans several GPUs]:N: ' \
        '*--dry-run[Print the command that would start tritonserver, and exit]' \
        '*--model=[Serve this GGUF file]:[NAME=]FILE:_files' \
        '*--lora=[Add a LoRA adapter in GGUF format to the models of --model]:NAME=FILE:_files' \
        '*--threads=[Set the number of threads of the embedded engine]:N: ' \
        '*--sequences=[Set how many requests an embedded model processes at the same time]:N: ' \
        '*--max-queue-size=[Limit the requests that wait for an embedded model]:N: ' \
        '*--lora-root=[Allow POST /v1/load_lora_adapter to load LoRA adapters from this folder]:DIR:_files -/' \
        '*--lora-separator=[Set the text between model and LoRA adapter in the model name of a request]:TEXT: ' \
        '*--tokenizer=[Use this tokenizer]:[MODEL=]DIR:_files -/' \
        '*--chat-template=[Use the Jinja chat template in this file]:[MODEL=]FILE:_files' \
        '*--context-length=[Set the context length in tokens]:[MODEL=]N: ' \
        '*--contract=[Override the detected contract of a model]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens)' \
        '*--backend=[Override the detected contract of a model]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens)' \
        '*--tool-call-parser=[Set the tool parser of a model]:[MODEL=]NAME: ' \
        '*--reasoning-parser=[Set the reasoning parser of a model]:[MODEL=]NAME: ' \
        '*--tool-prompt=[Describe tools with this text in the system message, if the chat template does not support tools]:[MODEL=]TEXT: ' \
        '*--image-placeholder=[Set the text that represents an image in the prompt]:[MODEL=]TEXT: ' \
        '*--engine-dir=[Read the limits of a TensorRT-LLM engine from config.json in its folder]:[MODEL=]DIR:_files -/' \
        '*--cancel-with=[Set how Conch ends a request early in a TensorRT-LLM engine]:[MODEL=]WAY:(cancel stop-input)' \
        '*--max-running=[Limit the requests to a model that run at the same time, in all workers together]:[MODEL=]N: ' \
        '*--max-waiting=[Limit the requests to a model that wait with --max-running]:[MODEL=]N: ' \
        '*--load-on-demand[Load a model of a repository when a request names it]' \
        '*--no-load-on-demand[Turn off --load-on-demand]' \
        '*--max-loaded=[Limit how many models --load-on-demand has loaded at the same time]:N: ' \
        '*--load-timeout=[Limit how long a model takes to load, and how long a request waits for it with --load-on-demand]:DURATION: ' \
        '*--unload-timeout=[Limit how long running requests continue when their model is unloaded]:DURATION: ' \
        '*--default-max-tokens=[Set the token limit of requests that have none]:N: ' \
        '*--max-tool-call-parse-bytes=[Limit the bytes of a possible tool call that Conch holds back until it recognizes the call]:N: ' \
        '*--structured-retries=[Set how often Conch retries a response that is not the requested structured output]:N: ' \
        '*--history-template=[Set the Liquid template of the prompt for models without a chat template]:TEXT: ' \
        '*--history-template-file=[Read the Liquid template of --history-template from this file]:FILE:_files' \
        '*--cache-dir=[Store downloads in this folder]:DIR:_files -/' \
        '*--hf-endpoint=[Download tokenizers from this Hugging Face hub]:URL: ' \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--json[Print JSON]' \
        '*: : '
      ;;
    (doctor)
      _arguments \
        '*--triton=[Connect to this Triton server over gRPC]:ADDRESS: ' \
        '*--triton-endpoint=[Connect to this Triton server over gRPC]:ADDRESS: ' \
        '*-t[Connect to this Triton server over gRPC]:ADDRESS: ' \
        '*--triton-tls[Use TLS for Triton servers whose address has neither http:// nor https://]' \
        '*--no-triton-tls[Turn off --triton-tls]' \
        '*--triton-ca=[Verify Triton servers with the CA certificates in this PEM file]:FILE:_files' \
        '*--triton-cert=[Authenticate to Triton with the certificate in this PEM file]:FILE:_files' \
        '*--triton-key=[Use the private key in this PEM file for --triton-cert]:FILE:_files' \
        '*--triton-server-name=[Expect this name in the certificate of a Triton server, instead of the name in its address]:NAME: ' \
        '*--triton-header=[Send this header with every call to Triton]:HEADER: ' \
        '*--triton-model=[Serve this model of a server without a model index, for example Dynamo]:NAME: ' \
        '*--refresh-interval=[Set how often Conch looks for new and removed models]:DURATION: ' \
        '*--connect-timeout=[Limit the time to open a connection to Triton]:DURATION: ' \
        '*--keepalive-interval=[Set how often Conch pings a Triton connection while calls run on it]:DURATION: ' \
        '*--max-message-size=[Limit the size of a message from Triton]:BYTES: ' \
        '*--balance=[Set how Conch selects among the servers that have a model]:POLICY:(least-load round-robin random-of-two prefix)' \
        '*--prefix-overload=[Limit the load of the server with the warm cache to this many times the load of the least busy server]:N: ' \
        '*--first-token-timeout=[Limit the time until a server sends the first part of a streamed response]:DURATION: ' \
        '*--idle-timeout=[Limit the pause of a server between two parts of a response]:DURATION: ' \
        '*--retries=[Set how often Conch retries a request that failed before the server sent the first part of the response]:N: ' \
        '*--retry-budget=[Limit the retries of --retries to this percentage of requests]:PERCENT: ' \
        '*--breaker-failures=[Send the requests for a model to other servers for a while after this many failures in a row on a server]:N: ' \
        '*--breaker-backoff=[Set how long --breaker-failures sends requests to other servers at first]:DURATION: ' \
        '*--ejection-time=[Set how long Conch ejects a server that fails far more often than the others]:DURATION: ' \
        '*--slow-start=[Set how long a new or recovered server gets less than its share of requests]:DURATION: ' \
        '*--dns-interval=[Set how often Conch resolves the names of --triton dns:NAME:PORT again]:DURATION: ' \
        '*--dns-server=[Resolve the names of --triton dns:NAME:PORT with this DNS server]:IP[ PORT]: ' \
        '*--engine-check-interval=[Set how often Conch probes the engine of a vLLM or LLM API model with a one-token request]:DURATION: ' \
        '*--engine-recovery=[Set what Conch does about a failed engine]:auto|off:(auto off)' \
        '*--model-repository=[Serve this Triton model repository]:DIR:_files -/' \
        '*--tritonserver=[Start this tritonserver]:FILE:_files' \
        '*--model-control-mode=[Set which models are loaded at the start]:MODE:(none explicit)' \
        '*--load-model=[Load this model at the start, with --model-control-mode explicit]:MODEL: ' \
        '*--tritonserver-log-verbose-level=[Set how much tritonserver logs beyond info]:N: ' \
        '*--world-size=[Set the number of ranks of a TensorRT-LLM engine that spans several GPUs]:N: ' \
        '*--dry-run[Print the command that would start tritonserver, and exit]' \
        '*--model=[Serve this GGUF file]:[NAME=]FILE:_files' \
        '*--lora=[Add a LoRA adapter in GGUF format to the models of --model]:NAME=FILE:_files' \
        '*--threads=[Set the number of threads of the embedded engine]:N: ' \
        '*--sequences=[Set how many requests an embedded model processes at the same time]:N: ' \
        '*--max-queue-size=[Limit the requests that wait for an embedded model]:N: ' \
        '*--lora-root=[Allow POST /v1/load_lora_adapter to load LoRA adapters from this folder]:DIR:_files -/' \
        '*--lora-separator=[Set the text between model and LoRA adapter in the model name of a request]:TEXT: ' \
        '*--tokenizer=[Use this tokenizer]:[MODEL=]DIR:_files -/' \
        '*--chat-template=[Use the Jinja chat template in this file]:[MODEL=]FILE:_files' \
        '*--context-length=[Set the context length in tokens]:[MODEL=]N: ' \
        '*--contract=[Override the detected contract of a model]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens)' \
        '*--backend=[Override the detected contract of a model]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens)' \
        '*--tool-call-parser=[Set the tool parser of a model]:[MODEL=]NAME: ' \
        '*--reasoning-parser=[Set the reasoning parser of a model]:[MODEL=]NAME: ' \
        '*--tool-prompt=[Describe tools with this text in the system message, if the chat template does not support tools]:[MODEL=]TEXT: ' \
        '*--image-placeholder=[Set the text that represents an image in the prompt]:[MODEL=]TEXT: ' \
        '*--engine-dir=[Read the limits of a TensorRT-LLM engine from config.json in its folder]:[MODEL=]DIR:_files -/' \
        '*--cancel-with=[Set how Conch ends a request early in a TensorRT-LLM engine]:[MODEL=]WAY:(cancel stop-input)' \
        '*--max-running=[Limit the requests to a model that run at the same time, in all workers together]:[MODEL=]N: ' \
        '*--max-waiting=[Limit the requests to a model that wait with --max-running]:[MODEL=]N: ' \
        '*--load-on-demand[Load a model of a repository when a request names it]' \
        '*--no-load-on-demand[Turn off --load-on-demand]' \
        '*--max-loaded=[Limit how many models --load-on-demand has loaded at the same time]:N: ' \
        '*--load-timeout=[Limit how long a model takes to load, and how long a request waits for it with --load-on-demand]:DURATION: ' \
        '*--unload-timeout=[Limit how long running requests continue when their model is unloaded]:DURATION: ' \
        '*--default-max-tokens=[Set the token limit of requests that have none]:N: ' \
        '*--max-tool-call-parse-bytes=[Limit the bytes of a possible tool call that Conch holds back until it recognizes the call]:N: ' \
        '*--structured-retries=[Set how often Conch retries a response that is not the requested structured output]:N: ' \
        '*--history-template=[Set the Liquid template of the prompt for models without a chat template]:TEXT: ' \
        '*--history-template-file=[Read the Liquid template of --history-template from this file]:FILE:_files' \
        '*--cache-dir=[Store downloads in this folder]:DIR:_files -/' \
        '*--hf-endpoint=[Download tokenizers from this Hugging Face hub]:URL: ' \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--probe[Send each model short requests]' \
        '*--json[Print JSON]' \
        '*: : '
      ;;
    (generate)
      _arguments \
        '*--triton=[Connect to this Triton server over gRPC]:ADDRESS: ' \
        '*--triton-endpoint=[Connect to this Triton server over gRPC]:ADDRESS: ' \
        '*-t[Connect to this Triton server over gRPC]:ADDRESS: ' \
        '*--triton-tls[Use TLS for Triton servers whose address has neither http:// nor https://]' \
        '*--no-triton-tls[Turn off --triton-tls]' \
        '*--triton-ca=[Verify Triton servers with the CA certificates in this PEM file]:FILE:_files' \
        '*--triton-cert=[Authenticate to Triton with the certificate in this PEM file]:FILE:_files' \
        '*--triton-key=[Use the private key in this PEM file for --triton-cert]:FILE:_files' \
        '*--triton-server-name=[Expect this name in the certificate of a Triton server, instead of the name in its address]:NAME: ' \
        '*--triton-header=[Send this header with every call to Triton]:HEADER: ' \
        '*--triton-model=[Serve this model of a server without a model index, for example Dynamo]:NAME: ' \
        '*--refresh-interval=[Set how often Conch looks for new and removed models]:DURATION: ' \
        '*--connect-timeout=[Limit the time to open a connection to Triton]:DURATION: ' \
        '*--keepalive-interval=[Set how often Conch pings a Triton connection while calls run on it]:DURATION: ' \
        '*--max-message-size=[Limit the size of a message from Triton]:BYTES: ' \
        '*--balance=[Set how Conch selects among the servers that have a model]:POLICY:(least-load round-robin random-of-two prefix)' \
        '*--prefix-overload=[Limit the load of the server with the warm cache to this many times the load of the least busy server]:N: ' \
        '*--first-token-timeout=[Limit the time until a server sends the first part of a streamed response]:DURATION: ' \
        '*--idle-timeout=[Limit the pause of a server between two parts of a response]:DURATION: ' \
        '*--retries=[Set how often Conch retries a request that failed before the server sent the first part of the response]:N: ' \
        '*--retry-budget=[Limit the retries of --retries to this percentage of requests]:PERCENT: ' \
        '*--breaker-failures=[Send the requests for a model to other servers for a while after this many failures in a row on a server]:N: ' \
        '*--breaker-backoff=[Set how long --breaker-failures sends requests to other servers at first]:DURATION: ' \
        '*--ejection-time=[Set how long Conch ejects a server that fails far more often than the others]:DURATION: ' \
        '*--slow-start=[Set how long a new or recovered server gets less than its share of requests]:DURATION: ' \
        '*--dns-interval=[Set how often Conch resolves the names of --triton dns:NAME:PORT again]:DURATION: ' \
        '*--dns-server=[Resolve the names of --triton dns:NAME:PORT with this DNS server]:IP[ PORT]: ' \
        '*--engine-check-interval=[Set how often Conch probes the engine of a vLLM or LLM API model with a one-token request]:DURATION: ' \
        '*--engine-recovery=[Set what Conch does about a failed engine]:auto|off:(auto off)' \
        '*--model-repository=[Serve this Triton model repository]:DIR:_files -/' \
        '*--tritonserver=[Start this tritonserver]:FILE:_files' \
        '*--model-control-mode=[Set which models are loaded at the start]:MODE:(none explicit)' \
        '*--load-model=[Load this model at the start, with --model-control-mode explicit]:MODEL: ' \
        '*--tritonserver-log-verbose-level=[Set how much tritonserver logs beyond info]:N: ' \
        '*--world-size=[Set the number of ranks of a TensorRT-LLM engine that spans several GPUs]:N: ' \
        '*--dry-run[Print the command that would start tritonserver, and exit]' \
        '*--model=[Serve this GGUF file]:[NAME=]FILE:_files' \
        '*--lora=[Add a LoRA adapter in GGUF format to the models of --model]:NAME=FILE:_files' \
        '*--threads=[Set the number of threads of the embedded engine]:N: ' \
        '*--sequences=[Set how many requests an embedded model processes at the same time]:N: ' \
        '*--max-queue-size=[Limit the requests that wait for an embedded model]:N: ' \
        '*--lora-root=[Allow POST /v1/load_lora_adapter to load LoRA adapters from this folder]:DIR:_files -/' \
        '*--lora-separator=[Set the text between model and LoRA adapter in the model name of a request]:TEXT: ' \
        '*--tokenizer=[Use this tokenizer]:[MODEL=]DIR:_files -/' \
        '*--chat-template=[Use the Jinja chat template in this file]:[MODEL=]FILE:_files' \
        '*--context-length=[Set the context length in tokens]:[MODEL=]N: ' \
        '*--contract=[Override the detected contract of a model]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens)' \
        '*--backend=[Override the detected contract of a model]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens)' \
        '*--tool-call-parser=[Set the tool parser of a model]:[MODEL=]NAME: ' \
        '*--reasoning-parser=[Set the reasoning parser of a model]:[MODEL=]NAME: ' \
        '*--tool-prompt=[Describe tools with this text in the system message, if the chat template does not support tools]:[MODEL=]TEXT: ' \
        '*--image-placeholder=[Set the text that represents an image in the prompt]:[MODEL=]TEXT: ' \
        '*--engine-dir=[Read the limits of a TensorRT-LLM engine from config.json in its folder]:[MODEL=]DIR:_files -/' \
        '*--cancel-with=[Set how Conch ends a request early in a TensorRT-LLM engine]:[MODEL=]WAY:(cancel stop-input)' \
        '*--max-running=[Limit the requests to a model that run at the same time, in all workers together]:[MODEL=]N: ' \
        '*--max-waiting=[Limit the requests to a model that wait with --max-running]:[MODEL=]N: ' \
        '*--load-on-demand[Load a model of a repository when a request names it]' \
        '*--no-load-on-demand[Turn off --load-on-demand]' \
        '*--max-loaded=[Limit how many models --load-on-demand has loaded at the same time]:N: ' \
        '*--load-timeout=[Limit how long a model takes to load, and how long a request waits for it with --load-on-demand]:DURATION: ' \
        '*--unload-timeout=[Limit how long running requests continue when their model is unloaded]:DURATION: ' \
        '*--default-max-tokens=[Set the token limit of requests that have none]:N: ' \
        '*--max-tool-call-parse-bytes=[Limit the bytes of a possible tool call that Conch holds back until it recognizes the call]:N: ' \
        '*--structured-retries=[Set how often Conch retries a response that is not the requested structured output]:N: ' \
        '*--history-template=[Set the Liquid template of the prompt for models without a chat template]:TEXT: ' \
        '*--history-template-file=[Read the Liquid template of --history-template from this file]:FILE:_files' \
        '*--cache-dir=[Store downloads in this folder]:DIR:_files -/' \
        '*--hf-endpoint=[Download tokenizers from this Hugging Face hub]:URL: ' \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--text=[Set the prompt]:TEXT: ' \
        '*--input-ids=[Set the prompt as token ids, separated by commas or spaces]:IDS: ' \
        '*--request-output-len=[Set the token limit]:N: ' \
        '*--streaming[Print every token as it arrives]' \
        '*--stop-after-ms=[Disconnect after this many milliseconds, which ends the request in the engine]:N: ' \
        '*--end-id=[End the response at this token id]:ID: ' \
        '*--stop-words=[Add a stop sequence]:TEXT: ' \
        '*--bad-words=[Add a text that must not occur]:TEXT: ' \
        '*--beam-width=[Set the beam width]:N: ' \
        '*--temperature=[Set the temperature]:X: ' \
        '*--top-k=[Consider only the N most likely tokens]:N: ' \
        '*--top-p=[Consider only the most likely tokens with this total probability]:X: ' \
        '*--repetition-penalty=[Set the repetition penalty]:X: ' \
        '*--presence-penalty=[Set the presence penalty]:X: ' \
        '*--frequency-penalty=[Set the frequency penalty]:X: ' \
        '*--random-seed=[Set the seed]:N: ' \
        '*--return-log-probs[Print the log probability of each token]' \
        '*: : '
      ;;
    ('engine install')
      _arguments \
        '*--lora-root=[Allow POST /v1/load_lora_adapter to load LoRA adapters from this folder]:DIR:_files -/' \
        '*--lora-separator=[Set the text between model and LoRA adapter in the model name of a request]:TEXT: ' \
        '*--tokenizer=[Use this tokenizer]:[MODEL=]DIR:_files -/' \
        '*--chat-template=[Use the Jinja chat template in this file]:[MODEL=]FILE:_files' \
        '*--context-length=[Set the context length in tokens]:[MODEL=]N: ' \
        '*--contract=[Override the detected contract of a model]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens)' \
        '*--backend=[Override the detected contract of a model]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens)' \
        '*--tool-call-parser=[Set the tool parser of a model]:[MODEL=]NAME: ' \
        '*--reasoning-parser=[Set the reasoning parser of a model]:[MODEL=]NAME: ' \
        '*--tool-prompt=[Describe tools with this text in the system message, if the chat template does not support tools]:[MODEL=]TEXT: ' \
        '*--image-placeholder=[Set the text that represents an image in the prompt]:[MODEL=]TEXT: ' \
        '*--engine-dir=[Read the limits of a TensorRT-LLM engine from config.json in its folder]:[MODEL=]DIR:_files -/' \
        '*--cancel-with=[Set how Conch ends a request early in a TensorRT-LLM engine]:[MODEL=]WAY:(cancel stop-input)' \
        '*--max-running=[Limit the requests to a model that run at the same time, in all workers together]:[MODEL=]N: ' \
        '*--max-waiting=[Limit the requests to a model that wait with --max-running]:[MODEL=]N: ' \
        '*--load-on-demand[Load a model of a repository when a request names it]' \
        '*--no-load-on-demand[Turn off --load-on-demand]' \
        '*--max-loaded=[Limit how many models --load-on-demand has loaded at the same time]:N: ' \
        '*--load-timeout=[Limit how long a model takes to load, and how long a request waits for it with --load-on-demand]:DURATION: ' \
        '*--unload-timeout=[Limit how long running requests continue when their model is unloaded]:DURATION: ' \
        '*--default-max-tokens=[Set the token limit of requests that have none]:N: ' \
        '*--max-tool-call-parse-bytes=[Limit the bytes of a possible tool call that Conch holds back until it recognizes the call]:N: ' \
        '*--structured-retries=[Set how often Conch retries a response that is not the requested structured output]:N: ' \
        '*--history-template=[Set the Liquid template of the prompt for models without a chat template]:TEXT: ' \
        '*--history-template-file=[Read the Liquid template of --history-template from this file]:FILE:_files' \
        '*--cache-dir=[Store downloads in this folder]:DIR:_files -/' \
        '*--hf-endpoint=[Download tokenizers from this Hugging Face hub]:URL: ' \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--gpu[Install the variant for GPUs]' \
        '*: : '
      ;;
    ('repo init')
      _arguments \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--repository=[Create the model in this model repository]:DIR:_files -/' \
        '*--force[Overwrite the files of an existing model]' \
        '*--dry-run[Print the files instead of writing them]' \
        '*--model=[Set the model]:MODEL: ' \
        '*--set=[Set another value]:NAME=VALUE: ' \
        '*--lora=[Add a LoRA adapter (vllm, llamacpp)]:NAME=PATH: ' \
        '*--tokenizer=[Use another tokenizer than the model'\''s own (vllm)]:NAME: ' \
        '*--max-model-len=[Set the context length in tokens (vllm)]:N: ' \
        '*--gpu-memory-utilization=[Set the share of the GPU memory to use (vllm)]:N: ' \
        '*--tensor-parallel-size=[Split the model over this many GPUs (vllm)]:N: ' \
        '*--dtype=[Set the data type of the weights, for example bfloat16 (vllm)]:TYPE: ' \
        '*--quantization=[Set the quantization of the weights, for example awq (vllm)]:NAME: ' \
        '*--health-check[Let Triton report a model whose engine has failed as not ready (vllm)]' \
        '*--no-health-check[Turn off --health-check]' \
        '*--conch[Use Conch'\''s own vLLM model instead of Triton'\''s vLLM backend]' \
        '*--lora-root=[Let requests name LoRA adapters in this folder, as tritonserver sees it (vllm with --conch)]:DIR:_files -/' \
        '*--engine-dir=[Set the folder of the engine, as tritonserver sees it (trtllm)]:DIR:_files -/' \
        '*--tokenizer-dir=[Set the folder of the tokenizer, as tritonserver sees it (trtllm)]:DIR:_files -/' \
        '*--max-batch-size=[Limit the batch size (trtllm)]:N: ' \
        '*--decoupled[Allow streamed responses (trtllm)]' \
        '*--no-decoupled[Turn off --decoupled]' \
        '*--triton-backend=[Set the backend of the engine (trtllm)]:tensorrtllm|python:(tensorrtllm python)' \
        '*--python-from=[Copy the Python files of NVIDIA'\''s models from this folder (trtllm)]:DIR:_files -/' \
        '*--copy[Copy the GGUF file into the model instead of linking to it (llamacpp)]' \
        '*--model-path=[Leave the GGUF file where it is, and write its path (llamacpp)]:FILE:_files' \
        '*--context-length=[Set the context length in tokens (llamacpp)]:N: ' \
        '*--sequences=[Set how many requests are processed at the same time (llamacpp)]:N: ' \
        '*: :(vllm trtllm llamacpp)'
      ;;
    ('repo fill')
      _arguments \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--in-place[Write the result to the file itself]' \
        '*--in_place[Write the result to the file itself]' \
        '*-i[Write the result to the file itself]' \
        '*--output=[Write the result to this file]:FILE:_files' \
        '*-o[Write the result to this file]:FILE:_files' \
        '*--strict[Write nothing and exit with code 1 if a value is left unfilled]' \
        '*: :_files'
      ;;
    ('repo check')
      _arguments \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*: :_files -/'
      ;;
    ('keys create')
      _arguments \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--file=[Set the key file]:FILE:_files' \
        '*--allow-model=[Allow this model]:NAME: ' \
        '*--requests-per-minute=[Limit the requests per minute]:N: ' \
        '*--tokens-per-minute=[Limit the tokens per minute, of prompts and responses together]:N: ' \
        '*--concurrent=[Limit the requests that run at the same time]:N: ' \
        '*--expires=[Set when the key expires]:WHEN: ' \
        '*--priority[Allow requests to set their priority]' \
        '*--manage[Allow a key with --allow-model to load and unload its models]' \
        '*: : '
      ;;
    ('keys list')
      _arguments \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--file=[Set the key file]:FILE:_files' \
        '*--json[Print JSON]' \
        '*: : '
      ;;
    ('keys revoke')
      _arguments \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--file=[Set the key file]:FILE:_files' \
        '*: : '
      ;;
    (bench)
      _arguments \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--url=[Measure this server, with or without /v1 in its URL]:URL: ' \
        '*--model=[Measure this model]:NAME: ' \
        '*--api-key=[Send this API key as a Bearer token]:KEY: ' \
        '*--header=[Send this header with every request]:NAME VALUE: ' \
        '*--endpoint=[Measure this endpoint]:chat|completions|embeddings:(chat completions embeddings)' \
        '*--streaming[Request streamed responses]' \
        '*--no-streaming[Turn off --streaming]' \
        '*--concurrency=[Set how many requests are open at the same time]:N,…: ' \
        '*--rate=[Start this many requests per second, however many are open]:N,…: ' \
        '*--arrival=[Set how the requests of --rate arrive]:poisson|constant:(poisson constant)' \
        '*--requests=[Measure this many requests at each level]:N: ' \
        '*--duration=[Start new requests for this long]:DURATION: ' \
        '*--grace-period=[Let open requests continue for this long after --duration]:DURATION: ' \
        '*--warmup=[Send this many requests first without measuring them]:N: ' \
        '*--input-tokens=[Set the length of the prompts in tokens]:MEAN[,DEVIATION]: ' \
        '*--output-tokens=[Set the token limit of the responses]:MEAN[,DEVIATION]: ' \
        '*--ignore-eos[Continue responses up to the token limit]' \
        '*--limit-field=[Send the token limit in this request field]:max_tokens|max_completion_tokens:(max_tokens max_completion_tokens)' \
        '*--extra=[Set a field of every request]:NAME=VALUE: ' \
        '*--distinct-prompts=[Use this many different prompts in turn]:N: ' \
        '*--prompt-file=[Read prompts from this file, one per line]:FILE:_files' \
        '*--seed=[Set the seed]:N: ' \
        '*--tokenizer=[Count tokens with this tokenizer]:FOLDER|NAME:_files -/' \
        '*--server-token-count[Always take the token counts from the server'\''s usage]' \
        '*--timeout=[Limit the time of one request]:DURATION: ' \
        '*--workers=[Generate the load with this many processes]:N: ' \
        '*--pid=[Also measure the CPU time and memory of this process]:[NAME=]PID: ' \
        '*--ca=[Verify the server with the CA certificates in this PEM file]:FILE:_files' \
        '*--insecure[Do not verify the server'\''s certificate]' \
        '*--json=[Write the report to this file as JSON, also for --compare]:FILE:_files' \
        '*--csv=[Write the metrics to this file as CSV]:FILE:_files' \
        '*--html=[Write the report with plots to this file as one HTML page]:FILE:_files' \
        '*--compare=[Compare two reports of --json instead of measuring]:A.json:_files' \
        '*: : '
      ;;
    (completions)
      _arguments \
        '*--config=[Read settings from a YAML or JSON file]:FILE:_files' \
        '*--check[Check the configuration and exit]' \
        '*--help[Show this help]' \
        '*-h[Show this help]' \
        '*--help-all[Show the help of all commands and flags]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*: :(bash zsh fish)'
      ;;
    (help)
      _arguments \
        '*: :(serve chat models doctor generate engine repo keys bench completions all)'
      ;;
  esac
}

# As a file of fpath it runs at its first use, else it only registers itself.
if [[ ${funcstack[1]} == _conch ]]; then
  _conch "$@"
else
  compdef _conch conch
fi
