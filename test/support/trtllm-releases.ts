import { protocol } from '../../src/kserve/control-codec.ts';
import { writeModelConfig } from '../../src/repository/pbtxt/model-config.ts';
import { type MessageValue, readTextFormat } from '../../src/repository/pbtxt/read-text-format.ts';

/** Tensors by their names in TensorRT-LLM 1.2, with those of 0.16. */
const renamed: ReadonlyMap<string, string> = new Map([
  ['seed', 'random_seed'],
  ['min_tokens', 'min_length'],
  ['return_perf_metrics', 'return_kv_cache_reuse_stats'],
]);

/** What 0.16 did not have yet. */
const later =
  /^(return_num_(in|out)put_tokens|num_(in|out)put_tokens|guided_.*|lookahead_.*|retention_.*|image_sizes_input|.*_time_ns|acceptance_rate|total_.*draft_tokens)$/;

/** A config.pbtxt of TensorRT-LLM 1.2 as 0.16 would have written it. */
export function inOldRelease(text: string): string {
  const { message } = readTextFormat(text, {
    type: protocol().lookupType('inference.ModelConfig'),
    file: 'config.pbtxt',
  });
  const scheduling = message['ensemble_scheduling'] as { step: MessageValue[] } | undefined;
  return writeModelConfig({
    ...message,
    input: tensors(message['input'] as MessageValue[]),
    output: tensors(message['output'] as MessageValue[]),
    ...(scheduling && {
      ensemble_scheduling: {
        step: scheduling.step.map((step) => ({
          ...step,
          input_map: routes(step['input_map'] as Record<string, string>),
          output_map: routes(step['output_map'] as Record<string, string>),
        })),
      },
    }),
  });
}

function tensors(list: readonly MessageValue[]): MessageValue[] {
  return list
    .filter(({ name }) => !later.test(name as string))
    .map((tensor) => ({ ...tensor, name: oldName(tensor['name'] as string) }));
}

function routes(map: Readonly<Record<string, string>>): Record<string, string> {
  const stored = Object.entries(map).filter(([inner]) => !later.test(inner));
  return Object.fromEntries(stored.map(([inner, outer]) => [oldName(inner), oldName(outer)]));
}

function oldName(name: string): string {
  return renamed.get(name) ?? name;
}
