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
        '*--triton=[gRPC address of a Triton server]:ADDRESS: ' \
        '*--triton-endpoint=[gRPC address of a Triton server]:ADDRESS: ' \
        '*-t[gRPC address of a Triton server]:ADDRESS: ' \
        '*--triton-tls[Speak TLS to the Triton servers whose address says neither http:// nor https://]' \
        '*--no-triton-tls[The opposite of --triton-tls]' \
        '*--triton-ca=[PEM file of the authorities that may vouch for a Triton server]:FILE:_files' \
        '*--triton-cert=[PEM file of the certificate that Conch shows to Triton]:FILE:_files' \
        '*--triton-key=[PEM file of the private key of that certificate]:FILE:_files' \
        '*--triton-server-name=[Name that the certificate of a Triton server must have, instead of its address'\''s]:NAME: ' \
        '*--triton-header=[Header for every call to Triton, as name]:HEADER: ' \
        '*--refresh-interval=[How often Conch looks for models that appeared or went]:DURATION: ' \
        '*--connect-timeout=[How long a connection to Triton may take to open]:DURATION: ' \
        '*--keepalive-interval=[How often a connection to Triton is tried with a ping while calls run on it]:DURATION: ' \
        '*--max-message-size=[Largest message from Triton that is read]:BYTES: ' \
        '*--balance=[How a server is chosen among those that have a model]:POLICY:(least-load round-robin random-of-two prefix)' \
        '*--prefix-overload=[With --balance prefix]:N: ' \
        '*--first-token-timeout=[How long a server may take until the first response of a streamed answer]:DURATION: ' \
        '*--idle-timeout=[How long a server may pause between two responses of an answer]:DURATION: ' \
        '*--retries=[How often a request that failed on a server before its first response is begun again]:N: ' \
        '*--retry-budget=[Such retries per hundred requests]:PERCENT: ' \
        '*--breaker-failures=[Failures of a model in a row on a server after which requests go to other servers for a while]:N: ' \
        '*--breaker-backoff=[How long that while is at first]:DURATION: ' \
        '*--ejection-time=[How long a server is left out that fails far more often than the others]:DURATION: ' \
        '*--slow-start=[How long a server that came or came back takes less than its share]:DURATION: ' \
        '*--dns-interval=[How often the names of --triton dns:NAME:PORT are resolved again]:DURATION: ' \
        '*--dns-server=[DNS server that resolves them]:IP[ PORT]: ' \
        '*--engine-check-interval=[How often to probe the engine of a vLLM or LLM API model with a one-token request]:DURATION: ' \
        '*--engine-recovery=[What to do about a failed engine]:auto|off:(auto off)' \
        '*--model-repository=[Folder of models in the layout of Triton]:DIR:_files -/' \
        '*--tritonserver=[The tritonserver to start]:FILE:_files' \
        '*--model-control-mode=[Whether all models are loaded at the start (none), or only those of --load-model (explicit)]:MODE:(none explicit)' \
        '*--load-model=[Model to load at the start, with --model-control-mode explicit]:MODEL: ' \
        '*--tritonserver-log-verbose-level=[How much tritonserver logs beyond info]:N: ' \
        '*--world-size=[Ranks of a TensorRT-LLM engine that spans several GPUs]:N: ' \
        '*--dry-run[Print the command that would start tritonserver, and exit]' \
        '*--model=[GGUF file to serve with the embedded engine, under the name of the file or as NAME=FILE]:[NAME=]FILE:_files' \
        '*--lora=[LoRA adapter in GGUF form for the models of --model, as NAME=FILE]:NAME=FILE:_files' \
        '*--threads=[Threads of the embedded engine]:N: ' \
        '*--sequences=[Requests that an embedded model answers at the same time]:N: ' \
        '*--max-queue-size=[Requests that may wait for an embedded model]:N: ' \
        '*--host=[Address to listen on]:ADDRESS: ' \
        '*-H[Address to listen on]:ADDRESS: ' \
        '*--port=[Port of the OpenAI API]:N: ' \
        '*--openai-port=[Port of the OpenAI API]:N: ' \
        '*-p[Port of the OpenAI API]:N: ' \
        '*--openai-restricted-api=[Header and value that requests to some APIs must bring]:APIS: ' \
        '*--request-timeout=[How long a request may take in all, after which it ends with a 504]:DURATION: ' \
        '*--http-max-input-size=[Largest request body]:BYTES: ' \
        '*--store=[Where responses are kept for previous_response_id]:PLACE: ' \
        '*--store-max-age=[How long a response is kept, such as 12h or 30d]:DURATION: ' \
        '*--store-max-size=[How much is kept in all]:BYTES: ' \
        '*--strict-fields[Refuse a request that has a field which nobody knows]' \
        '*--no-strict-fields[The opposite of --strict-fields]' \
        '*--ui[Serve the page with playground and dashboard at /]' \
        '*--no-ui[The opposite of --ui]' \
        '*--workers=[Processes that answer requests on the same ports]:N: ' \
        '*--allowed-origins=[Origin of web pages that may call the OpenAI API from a browser, such as https://app.example.com]:ORIGIN[,ORIGIN]: ' \
        '*--tls-cert=[PEM file of the certificate that Conch shows on its ports, which then speak TLS alone]:FILE:_files' \
        '*--tls-key=[PEM file of the private key of that certificate]:FILE:_files' \
        '*--tls-client-ca=[PEM file of the authorities of clients]:FILE:_files' \
        '*--receive-timeout=[How long a request may take to arrive, its headers at most a minute of it]:DURATION: ' \
        '*--slow-client-timeout=[How long a client may read nothing of what waits for it before it is cut off and its generation cancelled]:DURATION: ' \
        '*--coalesce=[How long to hold back the text of streams while the process is busy, to send it in fewer chunks]:MS: ' \
        '*--drain-delay=[How long new connections are still taken after a SIGTERM, while readiness says no]:DURATION: ' \
        '*--drain-timeout=[How long running requests may go on after that before they are ended with an error]:DURATION: ' \
        '*--http-max-headers=[Most headers of a request]:N: ' \
        '*--http-max-header-size=[Most bytes of the path and headers of a request together]:BYTES: ' \
        '*--max-json-depth=[How deep lists and objects of a body may stand in each other]:N: ' \
        '*--max-json-values=[Most values of a body]:N: ' \
        '*--max-messages=[Most messages of a conversation, or items of a response, in one request]:N: ' \
        '*--max-tools=[Most tools of a request]:N: ' \
        '*--max-stop-strings=[Most stop texts of a request]:N: ' \
        '*--max-choices=[Most answers of a request]:N: ' \
        '*--max-prompt-size=[Most bytes of a text that is turned into tokens]:BYTES: ' \
        '*--token-cache-size=[Memory of each worker for tokens of earlier prompts]:BYTES: ' \
        '*--guide-quarantine=[How long to refuse a structured-output guide (JSON schema, regex, choices, grammar) after an engine failure followed it]:DURATION: ' \
        '*--api-key=[Key that opens everything but health, which needs none]:KEY: ' \
        '*--api-key-file=[File of keys with their models, limits and dates (conch keys create)]:FILE:_files' \
        '*--jwt-jwks=[File with the public keys (JWKS) of an issuer whose tokens are taken as keys]:FILE:_files' \
        '*--jwt-issuer=[Issuer of those tokens, as their claim iss has it]:ISSUER: ' \
        '*--jwt-audience=[Audience that those tokens must be for, as their claim aud has it]:AUDIENCE: ' \
        '*--jwt-claim-prefix=[What stands before the claims models, requests_per_minute, tokens_per_minute, concurrent, priority and manage]:TEXT: ' \
        '*--redis=[Redis that several Conches count the limits of keys in]:URL: ' \
        '*--max-images=[Most images of one request]:N: ' \
        '*--max-image-size=[Largest file of an image]:BYTES: ' \
        '*--max-image-pixels=[Most pixels of an image, by its own header]:N: ' \
        '*--allow-image-urls=[Host from which images are fetched where a request names them by an http(s) address]:HOST[,HOST]: ' \
        '*--allow-image-addresses=[Inner addresses that those hosts may have]:CIDR[,CIDR]: ' \
        '*--image-timeout=[How long fetching one image may take in all]:DURATION: ' \
        '*--enable-kserve-frontends[Serve the KServe v2 protocol too, over HTTP and gRPC]' \
        '*--no-enable-kserve-frontends[The opposite of --enable-kserve-frontends]' \
        '*--kserve-http-port=[Port of the KServe HTTP frontend]:N: ' \
        '*--kserve-grpc-port=[Port of the KServe gRPC frontend]:N: ' \
        '*--lora-root=[Folder that POST /v1/load_lora_adapter may load LoRA adapters from]:DIR:_files -/' \
        '*--lora-separator=[What stands between a model and its LoRA adapter in the name of a request]:TEXT: ' \
        '*--tokenizer=[Folder with tokenizer.json and tokenizer_config.json, or a name on the Hugging Face hub]:[MODEL=]DIR:_files -/' \
        '*--chat-template=[File with a Jinja chat template, instead of the tokenizer'\''s own]:[MODEL=]FILE:_files' \
        '*--context-length=[Tokens that prompt and answer may have together]:[MODEL=]N: ' \
        '*--contract=[Which request format a model takes, instead of the one that is found]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi)' \
        '*--backend=[Which request format a model takes, instead of the one that is found]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi)' \
        '*--tool-call-parser=[How a model writes tool calls]:[MODEL=]NAME: ' \
        '*--reasoning-parser=[How a model writes its reasoning]:[MODEL=]NAME: ' \
        '*--image-placeholder=[Text that stands for an image in the prompt, {n} in it for the number of the image]:[MODEL=]TEXT: ' \
        '*--engine-dir=[Folder of a TensorRT-LLM engine, whose config.json tells its limits]:[MODEL=]DIR:_files -/' \
        '*--cancel-with=[How a request is ended early in a TensorRT-LLM engine]:[MODEL=]WAY:(cancel stop-input)' \
        '*--max-running=[Requests to a model that run at the same time, in all workers together]:[MODEL=]N: ' \
        '*--max-waiting=[With --max-running]:[MODEL=]N: ' \
        '*--load-on-demand[Load a model of a repository when a request names it]' \
        '*--no-load-on-demand[The opposite of --load-on-demand]' \
        '*--max-loaded=[With --load-on-demand]:N: ' \
        '*--load-timeout=[How long a model may take to load, and a request may wait for it with --load-on-demand]:DURATION: ' \
        '*--unload-timeout=[How long the running requests of a model that is unloaded may take to end, after which they are cancelled]:DURATION: ' \
        '*--default-max-tokens=[Most tokens of an answer whose request does not say]:N: ' \
        '*--max-tool-call-parse-bytes=[Most text of a tool call that is held back until it is known what it is]:N: ' \
        '*--structured-retries=[How often a response without the structure that was asked for is requested again, where the backend cannot guide it or breaks its guide]:N: ' \
        '*--history-template=[Liquid template of the prompt, for models without a chat template]:TEXT: ' \
        '*--history-template-file=[File with such a Liquid template]:FILE:_files' \
        '*--cache-dir=[Folder for what Conch downloads]:DIR:_files -/' \
        '*--hf-endpoint=[Hugging Face hub that tokenizers are fetched from]:URL: ' \
        '*--otlp-endpoint=[Address of an OpenTelemetry collector that traces are sent to]:URL: ' \
        '*-o[Address of an OpenTelemetry collector that traces are sent to]:URL: ' \
        '*--triton-metrics-port=[Port where the Triton servers tell their own metrics, usually 8002, to be passed on under /metrics]:N: ' \
        '*--log-prompts[Write what clients send to the log, prompts and all]' \
        '*--no-log-prompts[The opposite of --log-prompts]' \
        '*--log-level=[How much is logged]:LEVEL:(trace debug info warn warning error fatal critical)' \
        '*--uvicorn-log-level=[How much is logged]:LEVEL:(trace debug info warn warning error fatal critical)' \
        '*--log-format=[How a log line looks]:json|pretty:(json pretty)' \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*: :(serve chat models doctor generate engine repo keys bench completions help)'
      ;;
    (chat)
      _arguments \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--url=[Server to talk to, with or without /v1]:URL: ' \
        '*--api-key=[Key that is sent as a Bearer token]:KEY: ' \
        '*--header=[Header for every request]:NAME VALUE: ' \
        '*--ca=[PEM file of the authorities that may vouch for the server]:FILE:_files' \
        '*--insecure[Do not check the server'\''s certificate]' \
        '*--system=[System message.]:TEXT: ' \
        '*--set=[Field for every request, such as temperature=0.2]:NAME=VALUE: ' \
        '*--reasoning[Show the model'\''s reasoning before its answer]' \
        '*--no-reasoning[The opposite of --reasoning]' \
        '*--stats[Say after each answer how many tokens it had, when the first one came, and how many a second]' \
        '*--history[Keep the lines that are typed in the cache folder, for the next time]' \
        '*--no-history[The opposite of --history]' \
        '*: : '
      ;;
    (models)
      _arguments \
        '*--triton=[gRPC address of a Triton server]:ADDRESS: ' \
        '*--triton-endpoint=[gRPC address of a Triton server]:ADDRESS: ' \
        '*-t[gRPC address of a Triton server]:ADDRESS: ' \
        '*--triton-tls[Speak TLS to the Triton servers whose address says neither http:// nor https://]' \
        '*--no-triton-tls[The opposite of --triton-tls]' \
        '*--triton-ca=[PEM file of the authorities that may vouch for a Triton server]:FILE:_files' \
        '*--triton-cert=[PEM file of the certificate that Conch shows to Triton]:FILE:_files' \
        '*--triton-key=[PEM file of the private key of that certificate]:FILE:_files' \
        '*--triton-server-name=[Name that the certificate of a Triton server must have, instead of its address'\''s]:NAME: ' \
        '*--triton-header=[Header for every call to Triton, as name]:HEADER: ' \
        '*--refresh-interval=[How often Conch looks for models that appeared or went]:DURATION: ' \
        '*--connect-timeout=[How long a connection to Triton may take to open]:DURATION: ' \
        '*--keepalive-interval=[How often a connection to Triton is tried with a ping while calls run on it]:DURATION: ' \
        '*--max-message-size=[Largest message from Triton that is read]:BYTES: ' \
        '*--balance=[How a server is chosen among those that have a model]:POLICY:(least-load round-robin random-of-two prefix)' \
        '*--prefix-overload=[With --balance prefix]:N: ' \
        '*--first-token-timeout=[How long a server may take until the first response of a streamed answer]:DURATION: ' \
        '*--idle-timeout=[How long a server may pause between two responses of an answer]:DURATION: ' \
        '*--retries=[How often a request that failed on a server before its first response is begun again]:N: ' \
        '*--retry-budget=[Such retries per hundred requests]:PERCENT: ' \
        '*--breaker-failures=[Failures of a model in a row on a server after which requests go to other servers for a while]:N: ' \
        '*--breaker-backoff=[How long that while is at first]:DURATION: ' \
        '*--ejection-time=[How long a server is left out that fails far more often than the others]:DURATION: ' \
        '*--slow-start=[How long a server that came or came back takes less than its share]:DURATION: ' \
        '*--dns-interval=[How often the names of --triton dns:NAME:PORT are resolved again]:DURATION: ' \
        '*--dns-server=[DNS server that resolves them]:IP[ PORT]: ' \
        '*--engine-check-interval=[How often to probe the engine of a vLLM or LLM API model with a one-token request]:DURATION: ' \
        '*--engine-recovery=[What to do about a failed engine]:auto|off:(auto off)' \
        '*--model-repository=[Folder of models in the layout of Triton]:DIR:_files -/' \
        '*--tritonserver=[The tritonserver to start]:FILE:_files' \
        '*--model-control-mode=[Whether all models are loaded at the start (none), or only those of --load-model (explicit)]:MODE:(none explicit)' \
        '*--load-model=[Model to load at the start, with --model-control-mode explicit]:MODEL: ' \
        '*--tritonserver-log-verbose-level=[How much tritonserver logs beyond info]:N: ' \
        '*--world-size=[Ranks of a TensorRT-LLM engine that spans several GPUs]:N: ' \
        '*--dry-run[Print the command that would start tritonserver, and exit]' \
        '*--model=[GGUF file to serve with the embedded engine, under the name of the file or as NAME=FILE]:[NAME=]FILE:_files' \
        '*--lora=[LoRA adapter in GGUF form for the models of --model, as NAME=FILE]:NAME=FILE:_files' \
        '*--threads=[Threads of the embedded engine]:N: ' \
        '*--sequences=[Requests that an embedded model answers at the same time]:N: ' \
        '*--max-queue-size=[Requests that may wait for an embedded model]:N: ' \
        '*--lora-root=[Folder that POST /v1/load_lora_adapter may load LoRA adapters from]:DIR:_files -/' \
        '*--lora-separator=[What stands between a model and its LoRA adapter in the name of a request]:TEXT: ' \
        '*--tokenizer=[Folder with tokenizer.json and tokenizer_config.json, or a name on the Hugging Face hub]:[MODEL=]DIR:_files -/' \
        '*--chat-template=[File with a Jinja chat template, instead of the tokenizer'\''s own]:[MODEL=]FILE:_files' \
        '*--context-length=[Tokens that prompt and answer may have together]:[MODEL=]N: ' \
        '*--contract=[Which request format a model takes, instead of the one that is found]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi)' \
        '*--backend=[Which request format a model takes, instead of the one that is found]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi)' \
        '*--tool-call-parser=[How a model writes tool calls]:[MODEL=]NAME: ' \
        '*--reasoning-parser=[How a model writes its reasoning]:[MODEL=]NAME: ' \
        '*--image-placeholder=[Text that stands for an image in the prompt, {n} in it for the number of the image]:[MODEL=]TEXT: ' \
        '*--engine-dir=[Folder of a TensorRT-LLM engine, whose config.json tells its limits]:[MODEL=]DIR:_files -/' \
        '*--cancel-with=[How a request is ended early in a TensorRT-LLM engine]:[MODEL=]WAY:(cancel stop-input)' \
        '*--max-running=[Requests to a model that run at the same time, in all workers together]:[MODEL=]N: ' \
        '*--max-waiting=[With --max-running]:[MODEL=]N: ' \
        '*--load-on-demand[Load a model of a repository when a request names it]' \
        '*--no-load-on-demand[The opposite of --load-on-demand]' \
        '*--max-loaded=[With --load-on-demand]:N: ' \
        '*--load-timeout=[How long a model may take to load, and a request may wait for it with --load-on-demand]:DURATION: ' \
        '*--unload-timeout=[How long the running requests of a model that is unloaded may take to end, after which they are cancelled]:DURATION: ' \
        '*--default-max-tokens=[Most tokens of an answer whose request does not say]:N: ' \
        '*--max-tool-call-parse-bytes=[Most text of a tool call that is held back until it is known what it is]:N: ' \
        '*--structured-retries=[How often a response without the structure that was asked for is requested again, where the backend cannot guide it or breaks its guide]:N: ' \
        '*--history-template=[Liquid template of the prompt, for models without a chat template]:TEXT: ' \
        '*--history-template-file=[File with such a Liquid template]:FILE:_files' \
        '*--cache-dir=[Folder for what Conch downloads]:DIR:_files -/' \
        '*--hf-endpoint=[Hugging Face hub that tokenizers are fetched from]:URL: ' \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--json[Print JSON.]' \
        '*: : '
      ;;
    (doctor)
      _arguments \
        '*--triton=[gRPC address of a Triton server]:ADDRESS: ' \
        '*--triton-endpoint=[gRPC address of a Triton server]:ADDRESS: ' \
        '*-t[gRPC address of a Triton server]:ADDRESS: ' \
        '*--triton-tls[Speak TLS to the Triton servers whose address says neither http:// nor https://]' \
        '*--no-triton-tls[The opposite of --triton-tls]' \
        '*--triton-ca=[PEM file of the authorities that may vouch for a Triton server]:FILE:_files' \
        '*--triton-cert=[PEM file of the certificate that Conch shows to Triton]:FILE:_files' \
        '*--triton-key=[PEM file of the private key of that certificate]:FILE:_files' \
        '*--triton-server-name=[Name that the certificate of a Triton server must have, instead of its address'\''s]:NAME: ' \
        '*--triton-header=[Header for every call to Triton, as name]:HEADER: ' \
        '*--refresh-interval=[How often Conch looks for models that appeared or went]:DURATION: ' \
        '*--connect-timeout=[How long a connection to Triton may take to open]:DURATION: ' \
        '*--keepalive-interval=[How often a connection to Triton is tried with a ping while calls run on it]:DURATION: ' \
        '*--max-message-size=[Largest message from Triton that is read]:BYTES: ' \
        '*--balance=[How a server is chosen among those that have a model]:POLICY:(least-load round-robin random-of-two prefix)' \
        '*--prefix-overload=[With --balance prefix]:N: ' \
        '*--first-token-timeout=[How long a server may take until the first response of a streamed answer]:DURATION: ' \
        '*--idle-timeout=[How long a server may pause between two responses of an answer]:DURATION: ' \
        '*--retries=[How often a request that failed on a server before its first response is begun again]:N: ' \
        '*--retry-budget=[Such retries per hundred requests]:PERCENT: ' \
        '*--breaker-failures=[Failures of a model in a row on a server after which requests go to other servers for a while]:N: ' \
        '*--breaker-backoff=[How long that while is at first]:DURATION: ' \
        '*--ejection-time=[How long a server is left out that fails far more often than the others]:DURATION: ' \
        '*--slow-start=[How long a server that came or came back takes less than its share]:DURATION: ' \
        '*--dns-interval=[How often the names of --triton dns:NAME:PORT are resolved again]:DURATION: ' \
        '*--dns-server=[DNS server that resolves them]:IP[ PORT]: ' \
        '*--engine-check-interval=[How often to probe the engine of a vLLM or LLM API model with a one-token request]:DURATION: ' \
        '*--engine-recovery=[What to do about a failed engine]:auto|off:(auto off)' \
        '*--model-repository=[Folder of models in the layout of Triton]:DIR:_files -/' \
        '*--tritonserver=[The tritonserver to start]:FILE:_files' \
        '*--model-control-mode=[Whether all models are loaded at the start (none), or only those of --load-model (explicit)]:MODE:(none explicit)' \
        '*--load-model=[Model to load at the start, with --model-control-mode explicit]:MODEL: ' \
        '*--tritonserver-log-verbose-level=[How much tritonserver logs beyond info]:N: ' \
        '*--world-size=[Ranks of a TensorRT-LLM engine that spans several GPUs]:N: ' \
        '*--dry-run[Print the command that would start tritonserver, and exit]' \
        '*--model=[GGUF file to serve with the embedded engine, under the name of the file or as NAME=FILE]:[NAME=]FILE:_files' \
        '*--lora=[LoRA adapter in GGUF form for the models of --model, as NAME=FILE]:NAME=FILE:_files' \
        '*--threads=[Threads of the embedded engine]:N: ' \
        '*--sequences=[Requests that an embedded model answers at the same time]:N: ' \
        '*--max-queue-size=[Requests that may wait for an embedded model]:N: ' \
        '*--lora-root=[Folder that POST /v1/load_lora_adapter may load LoRA adapters from]:DIR:_files -/' \
        '*--lora-separator=[What stands between a model and its LoRA adapter in the name of a request]:TEXT: ' \
        '*--tokenizer=[Folder with tokenizer.json and tokenizer_config.json, or a name on the Hugging Face hub]:[MODEL=]DIR:_files -/' \
        '*--chat-template=[File with a Jinja chat template, instead of the tokenizer'\''s own]:[MODEL=]FILE:_files' \
        '*--context-length=[Tokens that prompt and answer may have together]:[MODEL=]N: ' \
        '*--contract=[Which request format a model takes, instead of the one that is found]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi)' \
        '*--backend=[Which request format a model takes, instead of the one that is found]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi)' \
        '*--tool-call-parser=[How a model writes tool calls]:[MODEL=]NAME: ' \
        '*--reasoning-parser=[How a model writes its reasoning]:[MODEL=]NAME: ' \
        '*--image-placeholder=[Text that stands for an image in the prompt, {n} in it for the number of the image]:[MODEL=]TEXT: ' \
        '*--engine-dir=[Folder of a TensorRT-LLM engine, whose config.json tells its limits]:[MODEL=]DIR:_files -/' \
        '*--cancel-with=[How a request is ended early in a TensorRT-LLM engine]:[MODEL=]WAY:(cancel stop-input)' \
        '*--max-running=[Requests to a model that run at the same time, in all workers together]:[MODEL=]N: ' \
        '*--max-waiting=[With --max-running]:[MODEL=]N: ' \
        '*--load-on-demand[Load a model of a repository when a request names it]' \
        '*--no-load-on-demand[The opposite of --load-on-demand]' \
        '*--max-loaded=[With --load-on-demand]:N: ' \
        '*--load-timeout=[How long a model may take to load, and a request may wait for it with --load-on-demand]:DURATION: ' \
        '*--unload-timeout=[How long the running requests of a model that is unloaded may take to end, after which they are cancelled]:DURATION: ' \
        '*--default-max-tokens=[Most tokens of an answer whose request does not say]:N: ' \
        '*--max-tool-call-parse-bytes=[Most text of a tool call that is held back until it is known what it is]:N: ' \
        '*--structured-retries=[How often a response without the structure that was asked for is requested again, where the backend cannot guide it or breaks its guide]:N: ' \
        '*--history-template=[Liquid template of the prompt, for models without a chat template]:TEXT: ' \
        '*--history-template-file=[File with such a Liquid template]:FILE:_files' \
        '*--cache-dir=[Folder for what Conch downloads]:DIR:_files -/' \
        '*--hf-endpoint=[Hugging Face hub that tokenizers are fetched from]:URL: ' \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--probe[Send each model short requests]' \
        '*--json[Print JSON.]' \
        '*: : '
      ;;
    (generate)
      _arguments \
        '*--triton=[gRPC address of a Triton server]:ADDRESS: ' \
        '*--triton-endpoint=[gRPC address of a Triton server]:ADDRESS: ' \
        '*-t[gRPC address of a Triton server]:ADDRESS: ' \
        '*--triton-tls[Speak TLS to the Triton servers whose address says neither http:// nor https://]' \
        '*--no-triton-tls[The opposite of --triton-tls]' \
        '*--triton-ca=[PEM file of the authorities that may vouch for a Triton server]:FILE:_files' \
        '*--triton-cert=[PEM file of the certificate that Conch shows to Triton]:FILE:_files' \
        '*--triton-key=[PEM file of the private key of that certificate]:FILE:_files' \
        '*--triton-server-name=[Name that the certificate of a Triton server must have, instead of its address'\''s]:NAME: ' \
        '*--triton-header=[Header for every call to Triton, as name]:HEADER: ' \
        '*--refresh-interval=[How often Conch looks for models that appeared or went]:DURATION: ' \
        '*--connect-timeout=[How long a connection to Triton may take to open]:DURATION: ' \
        '*--keepalive-interval=[How often a connection to Triton is tried with a ping while calls run on it]:DURATION: ' \
        '*--max-message-size=[Largest message from Triton that is read]:BYTES: ' \
        '*--balance=[How a server is chosen among those that have a model]:POLICY:(least-load round-robin random-of-two prefix)' \
        '*--prefix-overload=[With --balance prefix]:N: ' \
        '*--first-token-timeout=[How long a server may take until the first response of a streamed answer]:DURATION: ' \
        '*--idle-timeout=[How long a server may pause between two responses of an answer]:DURATION: ' \
        '*--retries=[How often a request that failed on a server before its first response is begun again]:N: ' \
        '*--retry-budget=[Such retries per hundred requests]:PERCENT: ' \
        '*--breaker-failures=[Failures of a model in a row on a server after which requests go to other servers for a while]:N: ' \
        '*--breaker-backoff=[How long that while is at first]:DURATION: ' \
        '*--ejection-time=[How long a server is left out that fails far more often than the others]:DURATION: ' \
        '*--slow-start=[How long a server that came or came back takes less than its share]:DURATION: ' \
        '*--dns-interval=[How often the names of --triton dns:NAME:PORT are resolved again]:DURATION: ' \
        '*--dns-server=[DNS server that resolves them]:IP[ PORT]: ' \
        '*--engine-check-interval=[How often to probe the engine of a vLLM or LLM API model with a one-token request]:DURATION: ' \
        '*--engine-recovery=[What to do about a failed engine]:auto|off:(auto off)' \
        '*--model-repository=[Folder of models in the layout of Triton]:DIR:_files -/' \
        '*--tritonserver=[The tritonserver to start]:FILE:_files' \
        '*--model-control-mode=[Whether all models are loaded at the start (none), or only those of --load-model (explicit)]:MODE:(none explicit)' \
        '*--load-model=[Model to load at the start, with --model-control-mode explicit]:MODEL: ' \
        '*--tritonserver-log-verbose-level=[How much tritonserver logs beyond info]:N: ' \
        '*--world-size=[Ranks of a TensorRT-LLM engine that spans several GPUs]:N: ' \
        '*--dry-run[Print the command that would start tritonserver, and exit]' \
        '*--model=[GGUF file to serve with the embedded engine, under the name of the file or as NAME=FILE]:[NAME=]FILE:_files' \
        '*--lora=[LoRA adapter in GGUF form for the models of --model, as NAME=FILE]:NAME=FILE:_files' \
        '*--threads=[Threads of the embedded engine]:N: ' \
        '*--sequences=[Requests that an embedded model answers at the same time]:N: ' \
        '*--max-queue-size=[Requests that may wait for an embedded model]:N: ' \
        '*--lora-root=[Folder that POST /v1/load_lora_adapter may load LoRA adapters from]:DIR:_files -/' \
        '*--lora-separator=[What stands between a model and its LoRA adapter in the name of a request]:TEXT: ' \
        '*--tokenizer=[Folder with tokenizer.json and tokenizer_config.json, or a name on the Hugging Face hub]:[MODEL=]DIR:_files -/' \
        '*--chat-template=[File with a Jinja chat template, instead of the tokenizer'\''s own]:[MODEL=]FILE:_files' \
        '*--context-length=[Tokens that prompt and answer may have together]:[MODEL=]N: ' \
        '*--contract=[Which request format a model takes, instead of the one that is found]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi)' \
        '*--backend=[Which request format a model takes, instead of the one that is found]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi)' \
        '*--tool-call-parser=[How a model writes tool calls]:[MODEL=]NAME: ' \
        '*--reasoning-parser=[How a model writes its reasoning]:[MODEL=]NAME: ' \
        '*--image-placeholder=[Text that stands for an image in the prompt, {n} in it for the number of the image]:[MODEL=]TEXT: ' \
        '*--engine-dir=[Folder of a TensorRT-LLM engine, whose config.json tells its limits]:[MODEL=]DIR:_files -/' \
        '*--cancel-with=[How a request is ended early in a TensorRT-LLM engine]:[MODEL=]WAY:(cancel stop-input)' \
        '*--max-running=[Requests to a model that run at the same time, in all workers together]:[MODEL=]N: ' \
        '*--max-waiting=[With --max-running]:[MODEL=]N: ' \
        '*--load-on-demand[Load a model of a repository when a request names it]' \
        '*--no-load-on-demand[The opposite of --load-on-demand]' \
        '*--max-loaded=[With --load-on-demand]:N: ' \
        '*--load-timeout=[How long a model may take to load, and a request may wait for it with --load-on-demand]:DURATION: ' \
        '*--unload-timeout=[How long the running requests of a model that is unloaded may take to end, after which they are cancelled]:DURATION: ' \
        '*--default-max-tokens=[Most tokens of an answer whose request does not say]:N: ' \
        '*--max-tool-call-parse-bytes=[Most text of a tool call that is held back until it is known what it is]:N: ' \
        '*--structured-retries=[How often a response without the structure that was asked for is requested again, where the backend cannot guide it or breaks its guide]:N: ' \
        '*--history-template=[Liquid template of the prompt, for models without a chat template]:TEXT: ' \
        '*--history-template-file=[File with such a Liquid template]:FILE:_files' \
        '*--cache-dir=[Folder for what Conch downloads]:DIR:_files -/' \
        '*--hf-endpoint=[Hugging Face hub that tokenizers are fetched from]:URL: ' \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--text=[The prompt, as it is]:TEXT: ' \
        '*--input-ids=[The prompt as token ids, separated by commas or spaces]:IDS: ' \
        '*--request-output-len=[The most tokens that are generated]:N: ' \
        '*--streaming[Print every token as it comes]' \
        '*--stop-after-ms=[Leave after so many milliseconds, which ends the request in the engine]:N: ' \
        '*--end-id=[A token id that ends the answer]:ID: ' \
        '*--stop-words=[A text that ends the answer]:TEXT: ' \
        '*--bad-words=[A text that must not occur]:TEXT: ' \
        '*--beam-width=[Beams that are followed]:N: ' \
        '*--temperature=[Temperature.]:X: ' \
        '*--top-k=[Only the N likeliest tokens are considered]:N: ' \
        '*--top-p=[Only the likeliest tokens of this share are considered]:X: ' \
        '*--repetition-penalty=[Repetition penalty]:X: ' \
        '*--presence-penalty=[Presence penalty]:X: ' \
        '*--frequency-penalty=[Frequency penalty]:X: ' \
        '*--random-seed=[Seed.]:N: ' \
        '*--return-log-probs[Print the log probability of each token]' \
        '*: : '
      ;;
    ('engine install')
      _arguments \
        '*--lora-root=[Folder that POST /v1/load_lora_adapter may load LoRA adapters from]:DIR:_files -/' \
        '*--lora-separator=[What stands between a model and its LoRA adapter in the name of a request]:TEXT: ' \
        '*--tokenizer=[Folder with tokenizer.json and tokenizer_config.json, or a name on the Hugging Face hub]:[MODEL=]DIR:_files -/' \
        '*--chat-template=[File with a Jinja chat template, instead of the tokenizer'\''s own]:[MODEL=]FILE:_files' \
        '*--context-length=[Tokens that prompt and answer may have together]:[MODEL=]N: ' \
        '*--contract=[Which request format a model takes, instead of the one that is found]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi)' \
        '*--backend=[Which request format a model takes, instead of the one that is found]:[MODEL=]NAME:(vllm tensorrtllm trtllm trtllm-tokens llmapi)' \
        '*--tool-call-parser=[How a model writes tool calls]:[MODEL=]NAME: ' \
        '*--reasoning-parser=[How a model writes its reasoning]:[MODEL=]NAME: ' \
        '*--image-placeholder=[Text that stands for an image in the prompt, {n} in it for the number of the image]:[MODEL=]TEXT: ' \
        '*--engine-dir=[Folder of a TensorRT-LLM engine, whose config.json tells its limits]:[MODEL=]DIR:_files -/' \
        '*--cancel-with=[How a request is ended early in a TensorRT-LLM engine]:[MODEL=]WAY:(cancel stop-input)' \
        '*--max-running=[Requests to a model that run at the same time, in all workers together]:[MODEL=]N: ' \
        '*--max-waiting=[With --max-running]:[MODEL=]N: ' \
        '*--load-on-demand[Load a model of a repository when a request names it]' \
        '*--no-load-on-demand[The opposite of --load-on-demand]' \
        '*--max-loaded=[With --load-on-demand]:N: ' \
        '*--load-timeout=[How long a model may take to load, and a request may wait for it with --load-on-demand]:DURATION: ' \
        '*--unload-timeout=[How long the running requests of a model that is unloaded may take to end, after which they are cancelled]:DURATION: ' \
        '*--default-max-tokens=[Most tokens of an answer whose request does not say]:N: ' \
        '*--max-tool-call-parse-bytes=[Most text of a tool call that is held back until it is known what it is]:N: ' \
        '*--structured-retries=[How often a response without the structure that was asked for is requested again, where the backend cannot guide it or breaks its guide]:N: ' \
        '*--history-template=[Liquid template of the prompt, for models without a chat template]:TEXT: ' \
        '*--history-template-file=[File with such a Liquid template]:FILE:_files' \
        '*--cache-dir=[Folder for what Conch downloads]:DIR:_files -/' \
        '*--hf-endpoint=[Hugging Face hub that tokenizers are fetched from]:URL: ' \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--gpu[Install the variant for a graphics card]' \
        '*: : '
      ;;
    ('repo init')
      _arguments \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--repository=[Folder of models to write into]:DIR:_files -/' \
        '*--force[Overwrite the files of a model that is already there]' \
        '*--dry-run[Print the files instead of writing them]' \
        '*--model=[vllm: name on the Hugging Face hub, or a folder]:MODEL: ' \
        '*--set=[vllm: any further engine argument]:NAME=VALUE: ' \
        '*--lora=[vllm, llamacpp: LoRA adapter]:NAME=PATH: ' \
        '*--tokenizer=[vllm: tokenizer, where it is not that of the model]:NAME: ' \
        '*--max-model-len=[vllm: tokens of context]:N: ' \
        '*--gpu-memory-utilization=[vllm: share of the GPU memory]:N: ' \
        '*--tensor-parallel-size=[vllm: GPUs that share the model]:N: ' \
        '*--dtype=[vllm: type of the weights, such as bfloat16]:TYPE: ' \
        '*--quantization=[vllm: how the weights are quantized, such as awq]:NAME: ' \
        '*--health-check[vllm: let Triton report a model whose engine has failed as not ready]' \
        '*--no-health-check[The opposite of --health-check]' \
        '*--engine-dir=[trtllm: folder of the engine, as tritonserver sees it]:DIR:_files -/' \
        '*--tokenizer-dir=[trtllm: folder of the tokenizer, as tritonserver sees it]:DIR:_files -/' \
        '*--max-batch-size=[trtllm: largest batch]:N: ' \
        '*--decoupled[trtllm: answers can be streamed]' \
        '*--no-decoupled[The opposite of --decoupled]' \
        '*--triton-backend=[trtllm: backend of the engine]:tensorrtllm|python:(tensorrtllm python)' \
        '*--python-from=[trtllm: folder with NVIDIA'\''s models, whose Python files are copied]:DIR:_files -/' \
        '*--copy[llamacpp: copy the GGUF file into the model, rather than link to it]' \
        '*--model-path=[llamacpp: leave the GGUF file where it is, and write its path]:FILE:_files' \
        '*--context-length=[llamacpp: tokens of context]:N: ' \
        '*--sequences=[llamacpp: requests that are answered at the same time]:N: ' \
        '*: :(vllm trtllm llamacpp)'
      ;;
    ('repo fill')
      _arguments \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--in-place[Write the result into the file itself]' \
        '*--in_place[Write the result into the file itself]' \
        '*-i[Write the result into the file itself]' \
        '*--output=[Write the result into this file]:FILE:_files' \
        '*-o[Write the result into this file]:FILE:_files' \
        '*--strict[Write nothing, and end with exit code 1, when a value is left unfilled]' \
        '*: :_files'
      ;;
    ('repo check')
      _arguments \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*: :_files -/'
      ;;
    ('keys create')
      _arguments \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--file=[File of keys.]:FILE:_files' \
        '*--allow-model=[Model that the key is for]:NAME: ' \
        '*--requests-per-minute=[Most requests in a minute]:N: ' \
        '*--tokens-per-minute=[Most tokens in a minute, of prompts and answers together]:N: ' \
        '*--concurrent=[Most requests that run at the same time]:N: ' \
        '*--expires=[When it ends: a date such as 2027-01-31, or an age such as 12h or 30d]:WHEN: ' \
        '*--priority[Its requests may say how urgent they are]' \
        '*--manage[It may load and unload its models although it is for some alone]' \
        '*: : '
      ;;
    ('keys list')
      _arguments \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--file=[File of keys.]:FILE:_files' \
        '*--json[Print JSON.]' \
        '*: : '
      ;;
    ('keys revoke')
      _arguments \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--file=[File of keys.]:FILE:_files' \
        '*: : '
      ;;
    (bench)
      _arguments \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*--url=[Server to measure, with or without /v1]:URL: ' \
        '*--model=[Model to ask.]:NAME: ' \
        '*--api-key=[Key that is sent as a Bearer token]:KEY: ' \
        '*--header=[Header for every request]:NAME VALUE: ' \
        '*--endpoint=[What is asked for]:chat|completions|embeddings:(chat completions embeddings)' \
        '*--streaming[Ask for streams]' \
        '*--no-streaming[The opposite of --streaming]' \
        '*--concurrency=[Requests that are open at a time]:N,…: ' \
        '*--rate=[Requests begun in a second, however many are open]:N,…: ' \
        '*--arrival=[How the requests of a rate come]:poisson|constant:(poisson constant)' \
        '*--requests=[Requests to measure at each level]:N: ' \
        '*--duration=[In place of --requests]:DURATION: ' \
        '*--grace-period=[How long open requests may go on after --duration]:DURATION: ' \
        '*--warmup=[Requests before them that are not measured]:N: ' \
        '*--input-tokens=[Length of the prompts in tokens]:MEAN[,DEVIATION]: ' \
        '*--output-tokens=[Longest answers in tokens, in the same way]:MEAN[,DEVIATION]: ' \
        '*--ignore-eos[Have answers go on to that length]' \
        '*--limit-field=[Field that bounds the answers]:max_tokens|max_completion_tokens:(max_tokens max_completion_tokens)' \
        '*--extra=[Field for every request]:NAME=VALUE: ' \
        '*--distinct-prompts=[Different prompts, which are taken in turn]:N: ' \
        '*--prompt-file=[Prompts of your own]:FILE:_files' \
        '*--seed=[The same seed makes the same prompts, lengths and arrivals]:N: ' \
        '*--tokenizer=[Tokenizer that counts]:FOLDER|NAME:_files -/' \
        '*--server-token-count[Take the server'\''s usage for the lengths, whoever could count]' \
        '*--timeout=[How long one request may take]:DURATION: ' \
        '*--workers=[Processes that make the load]:N: ' \
        '*--pid=[Process whose CPU time and memory are measured along]:[NAME=]PID: ' \
        '*--ca=[PEM file of the authorities that may vouch for the server]:FILE:_files' \
        '*--insecure[Do not check the server'\''s certificate]' \
        '*--json=[Write the report as JSON, for --compare too]:FILE:_files' \
        '*--csv=[Write the metrics as CSV]:FILE:_files' \
        '*--html=[Write the report with plots as one HTML page]:FILE:_files' \
        '*--compare=[Measure nothing]:A.json:_files' \
        '*: : '
      ;;
    (completions)
      _arguments \
        '*--config=[YAML or JSON file with settings]:FILE:_files' \
        '*--check[Check the settings and the files that they name, and exit]' \
        '*--help[Show this help.]' \
        '*-h[Show this help.]' \
        '*--version[Show the version]' \
        '*-V[Show the version]' \
        '*: :(bash zsh fish)'
      ;;
    (help)
      _arguments \
        '*: :(serve chat models doctor generate engine repo keys bench completions)'
      ;;
  esac
}

# As a file of fpath it is run at its first use, else it is only made known.
if [[ ${funcstack[1]} == _conch ]]; then
  _conch "$@"
else
  compdef _conch conch
fi
