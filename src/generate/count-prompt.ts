import { ApiError } from '../errors.ts';
import type { ChatRequest } from '../requests/chat-request.ts';
import { structureOf } from '../requests/structure.ts';
import { checkToolMessages, toolUseOf } from '../requests/tools.ts';
import type { Signal } from '../signal.ts';
import { renderPrompt } from './chat-prompt.ts';
import type { GenerateContext } from './generated-response.ts';
import { imagesOf } from './images.ts';
import { offeredTools } from './parsers.ts';
import { responseFormat } from './response-format.ts';
import { checkTools } from './tool-schemas.ts';

/** How many tokens the prompt of a conversation has, by the model's own template and tokenizer. */
export async function countPrompt(
  request: ChatRequest,
  context: Omit<GenerateContext, 'watch'>,
  signal: Signal,
): Promise<{ readonly tokens: number; readonly ignored: readonly string[] }> {
  const { images, structuredRetries: retries, strictFields: isStrict = false } = context;
  const model = context.findModel(request.model);
  const requestedUse = toolUseOf(request);
  const schemas = checkTools(request.tools, { model, use: requestedUse, isStrict });
  checkToolMessages(request.messages);
  const conversation = await imagesOf(request.messages, { model, settings: images, choices: 1, signal });
  const expandedRequest = { ...request, messages: [...conversation.messages] };
  const assets = await model.assets();
  const { template, tokenizer } = assets;
  const offered = offeredTools(requestedUse, { model, template, isStrict });
  const { instruction, use } = responseFormat(model, {
    requestedStructure: structureOf(request),
    use: offered.use,
    guidesTools: schemas.canGuide,
    retries,
  });
  const { prompt, ignored } = await renderPrompt(expandedRequest, { model, assets, use, instruction, isStrict });
  if (!tokenizer)
    throw new ApiError(
      'unsupported_parameter',
      `model: ${model.name} has no tokenizer, so its tokens cannot be counted. Start Conch with --tokenizer ${model.name}=DIR.`,
      { param: 'model' },
    );
  return {
    tokens: await tokenizer.count(prompt, { addSpecialTokens: model.addsSpecialTokens, signal }),
    ignored: [...conversation.ignored, ...(offered.ignored.length > 0 ? offered.ignored : schemas.unread), ...ignored],
  };
}
