const page = 'See docs/migrating-from-vllm.md.';
const engine = `Set it in the engine arguments of the model, which conch repo init vllm NAME writes. ${page}`;
const alwaysOn = 'Remove it: it is always on.';

/** Flags of other servers, and what to use instead. */
const counterparts: Readonly<Record<string, string>> = {
  '--served-model-name':
    'The name is that of the folder in the model repository. For an alias, use the configuration file (--config): models: {NAME: {serves: MODEL}}.',
  '--ssl-certfile': 'Use --tls-cert instead.',
  '--ssl-keyfile': 'Use --tls-key instead.',
  '--ssl-ca-certs': 'Use --tls-client-ca instead.',
  '--enable-auto-tool-choice': `${alwaysOn} Use --tool-call-parser MODEL=none to turn it off.`,
  '--enable-prompt-tokens-details': alwaysOn,
  '--enable-request-id-headers': alwaysOn,
  '--chat-template-content-format': 'Remove it: Conch detects the format from the chat template.',
  '--allowed-media-domains': 'Use --allow-image-urls instead.',
  '--otlp-traces-endpoint': 'Use --otlp-endpoint instead.',
  '--api-server-count': 'Use --workers instead.',
  '--enable-log-requests': 'Remove it: Conch logs each request. Use --log-prompts to log prompts too.',
  '--max-model-len': `${engine} If Conch does not detect the context length, use --context-length.`,
  '--tensor-parallel-size': engine,
  '--pipeline-parallel-size': engine,
  '--gpu-memory-utilization': engine,
  '--dtype': engine,
  '--quantization': engine,
  '--max-num-seqs': engine,
  '--enforce-eager': engine,
  '--enable-prefix-caching': engine,
  '--enable-lora': engine,
  '--lora-modules': engine,
  '--trust-remote-code': engine,
  '--kv-cache-dtype': engine,
  '--max-num-batched-tokens': engine,
  '--generation-config': `Set defaults of the model in the configuration file (--config). ${page}`,
  '--override-generation-config': `Set defaults of the model in the configuration file (--config). ${page}`,
  '--default-chat-template-kwargs': `Set chat_template_kwargs in the defaults of the model (--config). ${page}`,
  '--root-path': 'Remove the prefix in the proxy in front of Conch.',
  '--h11-max-incomplete-event-size': 'Use --http-max-header-size instead.',
  '--enable-ssl-refresh': alwaysOn,
  '--disable-uvicorn-access-log': 'Use --log-level warn instead.',
  '--data-parallel-size': 'Run several Triton servers, and use --triton once for each.',
};

/** What to use instead of a flag of another server; undefined for an unknown flag. */
export function counterpartOf(flag: string): string | undefined {
  return Object.hasOwn(counterparts, flag) ? counterparts[flag] : undefined;
}
