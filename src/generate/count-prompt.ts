import { ApiError } from '../errors.ts';
import { checkToolSchemas } from '../json-schema/check.ts';
import type { ChatRequest } from '../requests/chat-request.ts';
import { structureOf } from '../requests/structure.ts';
import { checkToolMessages, toolUseOf } from '../requests/tools.ts';
import type { Signal } from '../signal.ts';
import type { GenerateContext } from './answer.ts';
import { answerForm } from './answer-form.ts';
import { renderPrompt } from './chat-prompt.ts';
import { imagesOf } from './images.ts';

/** How many tokens the prompt of a conversation has, by the model's own template and tokenizer. */
export async function countPrompt(
  request: ChatRequest,
  context: Omit<GenerateContext, 'watch'>,
  signal: Signal,
): Promise<{ readonly tokens: number; readonly ignored: readonly string[] }> {
  const { images, structuredRetries: retries } = context;
  const model = context.findModel(request.model);
  checkToolSchemas(request.tools ?? []);
  checkToolMessages(request.messages);
  const shown = await imagesOf(request.messages, { model, settings: images, choices: 1, signal });
  const asked = { ...request, messages: [...shown.messages] };
  const { emulation, use } = answerForm(model, { wanted: structureOf(request), use: toolUseOf(request), retries });
  const { prompt, ignored } = await renderPrompt(asked, { model, use, emulation });
  const { tokenizer } = await model.assets();
  if (!tokenizer)
    throw new ApiError(
      'unsupported_parameter',
      `model: ${model.name} has no tokenizer, so its tokens cannot be counted. Start Conch with --tokenizer ${model.name}=DIR.`,
      { param: 'model' },
    );
  return {
    tokens: await tokenizer.count(prompt, { addSpecialTokens: model.addsSpecialTokens, signal }),
    ignored: [...shown.ignored, ...ignored],
  };
}
