# Completions of conch for bash. For every new shell, in ~/.bashrc: eval "$(conch completions bash)"
_conch_words() {
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

_conch_paths() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$current"))
}

_conch() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' index word
  COMPREPLY=()
  # bash takes the = of --flag=value for a word of its own.
  if [[ $previous == '=' ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $current == '=' ]]; then
    current=''
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="${command:+$command }${COMP_WORDS[index]}"
    case $word in
      engine | repo | keys | serve | chat | models | doctor | generate | 'engine install' | 'repo init' | 'repo fill' | 'repo check' | 'keys create' | 'keys list' | 'keys revoke' | bench | completions | help) command=$word ;;
    esac
  done
  case $command in
    engine) _conch_words install ;;
    repo) _conch_words 'init fill check' ;;
    keys) _conch_words 'create list revoke' ;;
    '' | serve)
      case $previous in
        --triton | --triton-endpoint | -t | --triton-server-name | --triton-header | --triton-model | --refresh-interval | --connect-timeout | --keepalive-interval | --max-message-size | --prefix-overload | --first-token-timeout | --idle-timeout | --retries | --retry-budget | --breaker-failures | --breaker-backoff | --ejection-time | --slow-start | --dns-interval | --dns-server | --engine-check-interval | --load-model | --tritonserver-log-verbose-level | --world-size | --threads | --sequences | --max-queue-size | --host | -H | --port | --openai-port | -p | --openai-restricted-api | --request-timeout | --http-max-input-size | --store | --store-max-age | --store-max-size | --workers | --allowed-origins | --receive-timeout | --slow-client-timeout | --coalesce | --drain-delay | --drain-timeout | --http-max-headers | --http-max-header-size | --max-json-depth | --max-json-values | --max-messages | --max-tools | --max-stop-strings | --max-choices | --max-prompt-size | --token-cache-size | --guide-quarantine | --api-key | --jwt-issuer | --jwt-audience | --jwt-claim-prefix | --redis | --max-images | --max-image-size | --max-image-pixels | --allow-image-urls | --allow-image-addresses | --image-timeout | --kserve-http-port | --kserve-grpc-port | --lora-separator | --context-length | --tool-call-parser | --reasoning-parser | --tool-prompt | --image-placeholder | --max-running | --max-waiting | --max-loaded | --load-timeout | --unload-timeout | --default-max-tokens | --max-tool-call-parse-bytes | --structured-retries | --history-template | --hf-endpoint | --otlp-endpoint | -o | --triton-metrics-port) : ;;
        --triton-ca | --triton-cert | --triton-key | --tritonserver | --model | --lora | --tls-cert | --tls-key | --tls-client-ca | --api-key-file | --jwt-jwks | --chat-template | --history-template-file | --config) _conch_paths -f ;;
        --balance) _conch_words 'least-load round-robin random-of-two prefix' ;;
        --engine-recovery) _conch_words 'auto off' ;;
        --model-repository | --lora-root | --tokenizer | --engine-dir | --cache-dir) _conch_paths -d ;;
        --model-control-mode) _conch_words 'none explicit' ;;
        --contract | --backend) _conch_words 'vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens' ;;
        --cancel-with) _conch_words 'cancel stop-input' ;;
        --log-level | --uvicorn-log-level) _conch_words 'trace debug info warn warning error fatal critical' ;;
        --log-format) _conch_words 'json pretty' ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--triton --triton-endpoint -t --triton-tls --no-triton-tls --triton-ca --triton-cert --triton-key --triton-server-name --triton-header --triton-model --refresh-interval --connect-timeout --keepalive-interval --max-message-size --balance --prefix-overload --first-token-timeout --idle-timeout --retries --retry-budget --breaker-failures --breaker-backoff --ejection-time --slow-start --dns-interval --dns-server --engine-check-interval --engine-recovery --model-repository --tritonserver --model-control-mode --load-model --tritonserver-log-verbose-level --world-size --dry-run --model --lora --threads --sequences --max-queue-size --host -H --port --openai-port -p --openai-restricted-api --request-timeout --http-max-input-size --store --store-max-age --store-max-size --strict-fields --no-strict-fields --ui --no-ui --workers --allowed-origins --tls-cert --tls-key --tls-client-ca --receive-timeout --slow-client-timeout --coalesce --drain-delay --drain-timeout --http-max-headers --http-max-header-size --max-json-depth --max-json-values --max-messages --max-tools --max-stop-strings --max-choices --max-prompt-size --token-cache-size --guide-quarantine --api-key --api-key-file --jwt-jwks --jwt-issuer --jwt-audience --jwt-claim-prefix --redis --max-images --max-image-size --max-image-pixels --allow-image-urls --allow-image-addresses --image-timeout --enable-kserve-frontends --no-enable-kserve-frontends --kserve-http-port --kserve-grpc-port --lora-root --lora-separator --tokenizer --chat-template --context-length --contract --backend --tool-call-parser --reasoning-parser --tool-prompt --image-placeholder --engine-dir --cancel-with --max-running --max-waiting --load-on-demand --no-load-on-demand --max-loaded --load-timeout --unload-timeout --default-max-tokens --max-tool-call-parse-bytes --structured-retries --history-template --history-template-file --cache-dir --hf-endpoint --otlp-endpoint -o --triton-metrics-port --log-prompts --no-log-prompts --log-level --uvicorn-log-level --log-format --config --check --help -h --help-all --version -V'
          else
            _conch_words 'serve chat models doctor generate engine repo keys bench completions help'
          fi
          ;;
      esac
      ;;
    chat)
      case $previous in
        --config | --ca) _conch_paths -f ;;
        --url | --api-key | --header | --system | --set) : ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--config --check --help -h --help-all --version -V --url --api-key --header --ca --insecure --system --set --reasoning --no-reasoning --stats --history --no-history'
          else
            :
          fi
          ;;
      esac
      ;;
    models)
      case $previous in
        --triton | --triton-endpoint | -t | --triton-server-name | --triton-header | --triton-model | --refresh-interval | --connect-timeout | --keepalive-interval | --max-message-size | --prefix-overload | --first-token-timeout | --idle-timeout | --retries | --retry-budget | --breaker-failures | --breaker-backoff | --ejection-time | --slow-start | --dns-interval | --dns-server | --engine-check-interval | --load-model | --tritonserver-log-verbose-level | --world-size | --threads | --sequences | --max-queue-size | --lora-separator | --context-length | --tool-call-parser | --reasoning-parser | --tool-prompt | --image-placeholder | --max-running | --max-waiting | --max-loaded | --load-timeout | --unload-timeout | --default-max-tokens | --max-tool-call-parse-bytes | --structured-retries | --history-template | --hf-endpoint) : ;;
        --triton-ca | --triton-cert | --triton-key | --tritonserver | --model | --lora | --chat-template | --history-template-file | --config) _conch_paths -f ;;
        --balance) _conch_words 'least-load round-robin random-of-two prefix' ;;
        --engine-recovery) _conch_words 'auto off' ;;
        --model-repository | --lora-root | --tokenizer | --engine-dir | --cache-dir) _conch_paths -d ;;
        --model-control-mode) _conch_words 'none explicit' ;;
        --contract | --backend) _conch_words 'vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens' ;;
        --cancel-with) _conch_words 'cancel stop-input' ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--triton --triton-endpoint -t --triton-tls --no-triton-tls --triton-ca --triton-cert --triton-key --triton-server-name --triton-header --triton-model --refresh-interval --connect-timeout --keepalive-interval --max-message-size --balance --prefix-overload --first-token-timeout --idle-timeout --retries --retry-budget --breaker-failures --breaker-backoff --ejection-time --slow-start --dns-interval --dns-server --engine-check-interval --engine-recovery --model-repository --tritonserver --model-control-mode --load-model --tritonserver-log-verbose-level --world-size --dry-run --model --lora --threads --sequences --max-queue-size --lora-root --lora-separator --tokenizer --chat-template --context-length --contract --backend --tool-call-parser --reasoning-parser --tool-prompt --image-placeholder --engine-dir --cancel-with --max-running --max-waiting --load-on-demand --no-load-on-demand --max-loaded --load-timeout --unload-timeout --default-max-tokens --max-tool-call-parse-bytes --structured-retries --history-template --history-template-file --cache-dir --hf-endpoint --config --check --help -h --help-all --version -V --json'
          else
            :
          fi
          ;;
      esac
      ;;
    doctor)
      case $previous in
        --triton | --triton-endpoint | -t | --triton-server-name | --triton-header | --triton-model | --refresh-interval | --connect-timeout | --keepalive-interval | --max-message-size | --prefix-overload | --first-token-timeout | --idle-timeout | --retries | --retry-budget | --breaker-failures | --breaker-backoff | --ejection-time | --slow-start | --dns-interval | --dns-server | --engine-check-interval | --load-model | --tritonserver-log-verbose-level | --world-size | --threads | --sequences | --max-queue-size | --lora-separator | --context-length | --tool-call-parser | --reasoning-parser | --tool-prompt | --image-placeholder | --max-running | --max-waiting | --max-loaded | --load-timeout | --unload-timeout | --default-max-tokens | --max-tool-call-parse-bytes | --structured-retries | --history-template | --hf-endpoint) : ;;
        --triton-ca | --triton-cert | --triton-key | --tritonserver | --model | --lora | --chat-template | --history-template-file | --config) _conch_paths -f ;;
        --balance) _conch_words 'least-load round-robin random-of-two prefix' ;;
        --engine-recovery) _conch_words 'auto off' ;;
        --model-repository | --lora-root | --tokenizer | --engine-dir | --cache-dir) _conch_paths -d ;;
        --model-control-mode) _conch_words 'none explicit' ;;
        --contract | --backend) _conch_words 'vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens' ;;
        --cancel-with) _conch_words 'cancel stop-input' ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--triton --triton-endpoint -t --triton-tls --no-triton-tls --triton-ca --triton-cert --triton-key --triton-server-name --triton-header --triton-model --refresh-interval --connect-timeout --keepalive-interval --max-message-size --balance --prefix-overload --first-token-timeout --idle-timeout --retries --retry-budget --breaker-failures --breaker-backoff --ejection-time --slow-start --dns-interval --dns-server --engine-check-interval --engine-recovery --model-repository --tritonserver --model-control-mode --load-model --tritonserver-log-verbose-level --world-size --dry-run --model --lora --threads --sequences --max-queue-size --lora-root --lora-separator --tokenizer --chat-template --context-length --contract --backend --tool-call-parser --reasoning-parser --tool-prompt --image-placeholder --engine-dir --cancel-with --max-running --max-waiting --load-on-demand --no-load-on-demand --max-loaded --load-timeout --unload-timeout --default-max-tokens --max-tool-call-parse-bytes --structured-retries --history-template --history-template-file --cache-dir --hf-endpoint --config --check --help -h --help-all --version -V --probe --json'
          else
            :
          fi
          ;;
      esac
      ;;
    generate)
      case $previous in
        --triton | --triton-endpoint | -t | --triton-server-name | --triton-header | --triton-model | --refresh-interval | --connect-timeout | --keepalive-interval | --max-message-size | --prefix-overload | --first-token-timeout | --idle-timeout | --retries | --retry-budget | --breaker-failures | --breaker-backoff | --ejection-time | --slow-start | --dns-interval | --dns-server | --engine-check-interval | --load-model | --tritonserver-log-verbose-level | --world-size | --threads | --sequences | --max-queue-size | --lora-separator | --context-length | --tool-call-parser | --reasoning-parser | --tool-prompt | --image-placeholder | --max-running | --max-waiting | --max-loaded | --load-timeout | --unload-timeout | --default-max-tokens | --max-tool-call-parse-bytes | --structured-retries | --history-template | --hf-endpoint | --text | --input-ids | --request-output-len | --stop-after-ms | --end-id | --stop-words | --bad-words | --beam-width | --temperature | --top-k | --top-p | --repetition-penalty | --presence-penalty | --frequency-penalty | --random-seed) : ;;
        --triton-ca | --triton-cert | --triton-key | --tritonserver | --model | --lora | --chat-template | --history-template-file | --config) _conch_paths -f ;;
        --balance) _conch_words 'least-load round-robin random-of-two prefix' ;;
        --engine-recovery) _conch_words 'auto off' ;;
        --model-repository | --lora-root | --tokenizer | --engine-dir | --cache-dir) _conch_paths -d ;;
        --model-control-mode) _conch_words 'none explicit' ;;
        --contract | --backend) _conch_words 'vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens' ;;
        --cancel-with) _conch_words 'cancel stop-input' ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--triton --triton-endpoint -t --triton-tls --no-triton-tls --triton-ca --triton-cert --triton-key --triton-server-name --triton-header --triton-model --refresh-interval --connect-timeout --keepalive-interval --max-message-size --balance --prefix-overload --first-token-timeout --idle-timeout --retries --retry-budget --breaker-failures --breaker-backoff --ejection-time --slow-start --dns-interval --dns-server --engine-check-interval --engine-recovery --model-repository --tritonserver --model-control-mode --load-model --tritonserver-log-verbose-level --world-size --dry-run --model --lora --threads --sequences --max-queue-size --lora-root --lora-separator --tokenizer --chat-template --context-length --contract --backend --tool-call-parser --reasoning-parser --tool-prompt --image-placeholder --engine-dir --cancel-with --max-running --max-waiting --load-on-demand --no-load-on-demand --max-loaded --load-timeout --unload-timeout --default-max-tokens --max-tool-call-parse-bytes --structured-retries --history-template --history-template-file --cache-dir --hf-endpoint --config --check --help -h --help-all --version -V --text --input-ids --request-output-len --streaming --stop-after-ms --end-id --stop-words --bad-words --beam-width --temperature --top-k --top-p --repetition-penalty --presence-penalty --frequency-penalty --random-seed --return-log-probs'
          else
            :
          fi
          ;;
      esac
      ;;
    'engine install')
      case $previous in
        --lora-root | --tokenizer | --engine-dir | --cache-dir) _conch_paths -d ;;
        --lora-separator | --context-length | --tool-call-parser | --reasoning-parser | --tool-prompt | --image-placeholder | --max-running | --max-waiting | --max-loaded | --load-timeout | --unload-timeout | --default-max-tokens | --max-tool-call-parse-bytes | --structured-retries | --history-template | --hf-endpoint) : ;;
        --chat-template | --history-template-file | --config) _conch_paths -f ;;
        --contract | --backend) _conch_words 'vllm tensorrtllm trtllm trtllm-tokens llmapi conch-tokens' ;;
        --cancel-with) _conch_words 'cancel stop-input' ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--lora-root --lora-separator --tokenizer --chat-template --context-length --contract --backend --tool-call-parser --reasoning-parser --tool-prompt --image-placeholder --engine-dir --cancel-with --max-running --max-waiting --load-on-demand --no-load-on-demand --max-loaded --load-timeout --unload-timeout --default-max-tokens --max-tool-call-parse-bytes --structured-retries --history-template --history-template-file --cache-dir --hf-endpoint --config --check --help -h --help-all --version -V --gpu'
          else
            :
          fi
          ;;
      esac
      ;;
    'repo init')
      case $previous in
        --config | --model-path) _conch_paths -f ;;
        --repository | --lora-root | --engine-dir | --tokenizer-dir | --python-from) _conch_paths -d ;;
        --model | --set | --lora | --tokenizer | --max-model-len | --gpu-memory-utilization | --tensor-parallel-size | --dtype | --quantization | --max-batch-size | --context-length | --sequences) : ;;
        --triton-backend) _conch_words 'tensorrtllm python' ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--config --check --help -h --help-all --version -V --repository --force --dry-run --model --set --lora --tokenizer --max-model-len --gpu-memory-utilization --tensor-parallel-size --dtype --quantization --health-check --no-health-check --conch --lora-root --engine-dir --tokenizer-dir --max-batch-size --decoupled --no-decoupled --triton-backend --python-from --copy --model-path --context-length --sequences'
          else
            _conch_words 'vllm trtllm llamacpp'
          fi
          ;;
      esac
      ;;
    'repo fill')
      case $previous in
        --config | --output | -o) _conch_paths -f ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--config --check --help -h --help-all --version -V --in-place --in_place -i --output -o --strict'
          else
            _conch_paths -f
          fi
          ;;
      esac
      ;;
    'repo check')
      case $previous in
        --config) _conch_paths -f ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--config --check --help -h --help-all --version -V'
          else
            _conch_paths -d
          fi
          ;;
      esac
      ;;
    'keys create')
      case $previous in
        --config | --file) _conch_paths -f ;;
        --allow-model | --requests-per-minute | --tokens-per-minute | --concurrent | --expires) : ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--config --check --help -h --help-all --version -V --file --allow-model --requests-per-minute --tokens-per-minute --concurrent --expires --priority --manage'
          else
            :
          fi
          ;;
      esac
      ;;
    'keys list')
      case $previous in
        --config | --file) _conch_paths -f ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--config --check --help -h --help-all --version -V --file --json'
          else
            :
          fi
          ;;
      esac
      ;;
    'keys revoke')
      case $previous in
        --config | --file) _conch_paths -f ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--config --check --help -h --help-all --version -V --file'
          else
            :
          fi
          ;;
      esac
      ;;
    bench)
      case $previous in
        --config | --prompt-file | --ca | --json | --csv | --html | --compare) _conch_paths -f ;;
        --url | --model | --api-key | --header | --concurrency | --rate | --requests | --duration | --grace-period | --warmup | --input-tokens | --output-tokens | --extra | --distinct-prompts | --seed | --timeout | --workers | --pid) : ;;
        --endpoint) _conch_words 'chat completions embeddings' ;;
        --arrival) _conch_words 'poisson constant' ;;
        --limit-field) _conch_words 'max_tokens max_completion_tokens' ;;
        --tokenizer) _conch_paths -d ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--config --check --help -h --help-all --version -V --url --model --api-key --header --endpoint --streaming --no-streaming --concurrency --rate --arrival --requests --duration --grace-period --warmup --input-tokens --output-tokens --ignore-eos --limit-field --extra --distinct-prompts --prompt-file --seed --tokenizer --server-token-count --timeout --workers --pid --ca --insecure --json --csv --html --compare'
          else
            :
          fi
          ;;
      esac
      ;;
    completions)
      case $previous in
        --config) _conch_paths -f ;;
        *)
          if [[ $current == -* ]]; then
            _conch_words '--config --check --help -h --help-all --version -V'
          else
            _conch_words 'bash zsh fish'
          fi
          ;;
      esac
      ;;
    help)
      case $previous in
        *)
          if [[ $current == -* ]]; then
            _conch_words ''
          else
            _conch_words 'serve chat models doctor generate engine repo keys bench completions all'
          fi
          ;;
      esac
      ;;
  esac
}

complete -F _conch conch
