const elsewhere = 'docs/migrating-from-vllm.md has the counterparts of its flags.';
const engine = `It is one of vLLM's engine, for conch repo init vllm NAME: ${elsewhere}`;
const always = 'It is always on.';

/** Flags of other servers that people bring along, and what stands for them here. */
const counterparts: Readonly<Record<string, string>> = {
  '--served-model-name':
    'A model goes by its name on the server; models: {NAME: {serves: MODEL}} in the file of --config gives it a further one.',
  '--ssl-certfile': 'It is --tls-cert here.',
  '--ssl-keyfile': 'It is --tls-key here.',
  '--ssl-ca-certs': 'It is --tls-client-ca here.',
  '--enable-auto-tool-choice': `${always} --tool-call-parser MODEL=none turns it off.`,
  '--enable-prompt-tokens-details': always,
  '--enable-request-id-headers': always,
  '--chat-template-content-format': 'The form is found from the chat template.',
  '--allowed-media-domains': 'It is --allow-image-urls here.',
  '--otlp-traces-endpoint': 'It is --otlp-endpoint here.',
  '--api-server-count': 'It is --workers here.',
  '--enable-log-requests': 'Each request has a line in the log; --log-prompts adds its prompt.',
  '--max-model-len': `${engine} --context-length tells Conch of it, where it is not found.`,
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
  '--data-parallel-size': 'Several servers are several --triton.',
};

/** What stands here for a flag of another server; undefined where nothing is known of it. */
export function counterpartOf(flag: string): string | undefined {
  return Object.hasOwn(counterparts, flag) ? counterparts[flag] : undefined;
}
