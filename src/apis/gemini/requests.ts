import { z } from 'zod';
import { mostInputs } from '../../requests/embedding-request.ts';
import { ignoredField, list, unsupportedField } from '../../requests/fields.ts';
import { reportUnknown } from '../../requests/ignored-fields.ts';
import { mostTools } from '../../requests/tools.ts';
import { content, mostParts, textContent } from './content.ts';
import { generationConfig } from './generation-config.ts';
import { tool, toolConfig } from './tools.ts';

/** The model comes from the path; Conch adds it to the body. */
const model = z.string().min(1).max(256);

/** The body of `generateContent`, `streamGenerateContent` and `countTokens`. */
export const GenerateContentRequest = z.object({
  model,
  contents: list(content, { least: 1, most: mostParts }),
  systemInstruction: textContent.optional(),
  tools: list(tool, { most: mostTools }).optional(),
  toolConfig: toolConfig.optional(),
  generationConfig: generationConfig.optional(),
  cachedContent: unsupportedField('cached contents are not supported; send all contents'),
  safetySettings: ignoredField('responses are not filtered'),
  labels: ignoredField('labels have no effect'),
  serviceTier: ignoredField('there is one service tier'),
  store: ignoredField('contents are not stored', [false]),
});

export type GenerateContentRequest = z.output<typeof GenerateContentRequest>;

const embedFields = {
  model,
  content: textContent,
  outputDimensionality: z.number().int().min(1).optional(),
  taskType: ignoredField('the model makes one kind of embedding', ['TASK_TYPE_UNSPECIFIED']),
  title: ignoredField('embeddings are made of the content only'),
  autoTruncate: ignoredField('contents are never truncated', [false]),
};

/** The body of `embedContent`. */
export const EmbedContentRequest = z.object(embedFields);

export type EmbedContentRequest = z.output<typeof EmbedContentRequest>;

/** The body of `batchEmbedContents`. */
export const BatchEmbedContentsRequest = z.object({
  model,
  requests: list(reportUnknown(z.object({ ...embedFields, model: model.optional() })), { least: 1, most: mostInputs }),
});
