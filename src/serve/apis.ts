import { anthropicApi } from '../apis/anthropic/api.ts';
import { type ConchServices, conchApi } from '../apis/conch/api.ts';
import type { PageFile } from '../apis/conch/page-files.ts';
import { type GeminiServices, geminiApi } from '../apis/gemini/api.ts';
import { type OllamaServices, ollamaApi } from '../apis/ollama/api.ts';
import { type OpenAiServices, openAiApi } from '../apis/openai/api.ts';
import type { Api } from '../http/api.ts';
import type { AppServices } from '../http/app.ts';

/** Everything that the APIs are built from. */
export type Services = AppServices & ConchServices & OpenAiServices & OllamaServices & GeminiServices;

/** Every API that is served on the main port. */
export function servedApis(page?: readonly PageFile[]): readonly Api<Services>[] {
  const others = [openAiApi, anthropicApi, ollamaApi, geminiApi];
  return [conchApi({ page, others }), ...others];
}
