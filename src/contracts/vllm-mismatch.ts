/** The errors where vLLM lacks what its Triton backend uses, with the first vLLM version that lacks it. */
const symptoms: readonly (readonly [RegExp, version?: string])[] = [
  [/No module named 'vllm\.inputs\.data'/, '0.19'],
  [/cannot import name 'build_1_2_5_buckets' from 'vllm\./, '0.30'],
  // vLLM 0.17 to 0.32 accept raw prompts, and log with these words that they are deprecated.
  [/raw prompts|Renderer\.render_(?:cmpl|chat)\b/, '0.33'],
  [/No module named 'vllm\.|cannot import name '\w+' from 'vllm\b/],
  [/\bAsyncLLM(?:Engine)?\.\w+\(\) (?:got an unexpected keyword|missing \d+ required)/],
];

const cause = "Triton's vLLM backend does not support the installed version of vLLM";

/**
 * What to do about an error of Triton's vLLM backend with a vLLM whose Python interface has changed, without the
 * last full stop; undefined for any other error.
 */
export function vllmMismatch(error: string): string | undefined {
  const symptom = symptoms.find(([pattern]) => pattern.test(error));
  // Conch's own model is not the cause: it supports these versions.
  if (!symptom || error.includes('conch_vllm')) return undefined;
  const [, version] = symptom;
  const pin = version === undefined ? 'the version that this release of the backend was made for' : `vllm<${version}`;
  return `${cause}. Install ${pin}, or create a model that supports it: conch repo init vllm --conch`;
}
