import { z } from 'zod';
import { isJsonObject } from '../../json-object.ts';
import { ignoredField, list, unsupportedField } from '../../requests/fields.ts';
import { reportUnknown, withIgnoredParts } from '../../requests/ignored-fields.ts';
import { mostStops, samplingFields } from '../../requests/sampling.ts';

const schema = z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'must be a schema object');

const levels = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'THINKING_LEVEL_UNSPECIFIED'] as const;

/** Clients send the level in either case. */
const thinkingLevel = z
  .string()
  .transform((level) => level.toUpperCase())
  .pipe(z.enum(levels, { error: 'must be MINIMAL, LOW, MEDIUM or HIGH' }));

/** 0 turns reasoning off, and -1 leaves it to the model. */
const thinkingBudget = withIgnoredParts(z.number().int().min(-1), (budget) =>
  Number(budget) > 0 ? [{ path: '', reason: 'reasoning has no token limit; send 0 or -1' }] : [],
);

const thinkingConfig = reportUnknown(
  z.object({
    includeThoughts: z.boolean().optional(),
    thinkingBudget: thinkingBudget.optional(),
    thinkingLevel: thinkingLevel.optional(),
  }),
);

const mimeTypes = ['text/plain', 'application/json', 'text/x.enum'] as const;

const fields = z.object({
  temperature: samplingFields.temperature,
  topP: samplingFields.top_p,
  topK: z.number().int().min(0).optional(),
  maxOutputTokens: z.number().int().min(1).optional(),
  stopSequences: list(z.string().min(1, 'a stop sequence must not be empty'), { most: mostStops }).optional(),
  candidateCount: samplingFields.n,
  seed: samplingFields.seed,
  presencePenalty: samplingFields.presence_penalty,
  frequencyPenalty: samplingFields.frequency_penalty,
  responseMimeType: z.enum(mimeTypes, { error: 'must be text/plain, application/json or text/x.enum' }).optional(),
  responseSchema: schema.optional(),
  responseJsonSchema: schema.optional(),
  responseLogprobs: z.boolean().optional(),
  logprobs: z.number().int().min(0).max(20).optional(),
  thinkingConfig: thinkingConfig.optional(),
  responseModalities: list(z.string(), { most: 16 })
    .refine((all) => all.every((modality) => /^(?:TEXT|MODALITY_UNSPECIFIED)$/i.test(modality)), {
      message: 'only TEXT is supported',
      params: { code: 'unsupported_parameter' },
    })
    .optional(),
  speechConfig: unsupportedField('speech is not supported'),
  imageConfig: unsupportedField('image generation is not supported'),
  mediaResolution: ignoredField('images are sent as they are', ['MEDIA_RESOLUTION_UNSPECIFIED']),
  enableEnhancedCivicAnswers: ignoredField('responses are not filtered', [false]),
});

/** How a response is generated. */
export const generationConfig = withIgnoredParts(reportUnknown(fields), (value) => {
  const { logprobs, responseLogprobs } = value as GenerationConfig;
  return logprobs && !responseLogprobs ? [{ path: '.logprobs', reason: 'needs responseLogprobs: true' }] : [];
});

export type GenerationConfig = z.output<typeof fields>;
