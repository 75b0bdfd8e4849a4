import { expect, it } from 'vitest';
import { StatusError } from '../kserve/status.ts';
import { explainVllm } from './vllm-errors.ts';
import { vllmMismatch } from './vllm-mismatch.ts';

const advice = (pin: string): string =>
  `Triton's vLLM backend does not support the installed version of vLLM. Install ${pin}, ` +
  'or create a model that supports it: conch repo init vllm --conch';
const rawPrompts =
  'Passing raw prompts to InputProcessor is no longer supported. Pass the outputs of Renderer.render_cmpl().';

it.each([
  [
    "Internal: ModuleNotFoundError: No module named 'vllm.inputs.data'\n\nAt:\n  /opt/model.py(41): <module>",
    'vllm<0.19',
  ],
  [
    "ImportError: cannot import name 'build_1_2_5_buckets' from 'vllm.v1.metrics.loggers' (/usr/lib/loggers.py)",
    'vllm<0.30',
  ],
  [`Error generating stream: ${rawPrompts}`, 'vllm<0.33'],
  ["No module named 'vllm.v2'", 'the version that this release of the backend was made for'],
  ["cannot import name 'EngineClient' from 'vllm'", 'the version that this release of the backend was made for'],
  [
    "Error generating stream: AsyncLLM.generate() got an unexpected keyword argument 'lora_request'",
    'the version that this release of the backend was made for',
  ],
])('%s', (text, pin) => {
  expect(vllmMismatch(text)).toBe(advice(pin));
  const error = explainVllm(new StatusError('UNKNOWN', text));
  expect(error).toMatchObject({ code: 'backend_error', message: `The backend failed: ${advice(pin)}.` });
});

it.each([
  "No module named 'vllm'",
  "No module named 'vllm_extension'",
  "cannot import name 'x' from 'vllmx'",
  'Error generating stream: the prompt is raw',
  "File /models/llama/1/conch_vllm/engine.py: No module named 'vllm.inputs.data'",
])('is no mismatch of the backend: %s', (text) => {
  expect(vllmMismatch(text)).toBeUndefined();
});
