import { z } from 'zod';
import { isJsonObject } from '../../json-object.ts';
import { ignoredField, list } from '../../requests/fields.ts';
import { reportUnknown } from '../../requests/ignored-fields.ts';
import { functionName, mostTools } from '../../requests/tools.ts';

const schema = z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'must be a schema object');

const functionDeclaration = reportUnknown(
  z
    .object({
      name: functionName,
      description: z.string().optional(),
      parameters: schema.optional(),
      parametersJsonSchema: schema.optional(),
      response: ignoredField('models are not told the result schema of a function'),
      responseJsonSchema: ignoredField('models are not told the result schema of a function'),
      behavior: ignoredField('the client runs all functions', ['BLOCKING', 'UNSPECIFIED']),
    })
    .refine(
      ({ parameters, parametersJsonSchema: other }) => !parameters || !other,
      'has parameters and parametersJsonSchema; send one of them',
    ),
);

const hosted = (name: string) => ignoredField(`Conch does not run ${name}; the model does not get this tool`);

/** A tool. Google runs some kinds itself: the model does not get those. */
export const tool = reportUnknown(
  z.object({
    functionDeclarations: list(functionDeclaration, { most: mostTools }).optional(),
    googleSearch: hosted('Google Search'),
    googleSearchRetrieval: hosted('Google Search'),
    codeExecution: hosted('code'),
    urlContext: hosted('URL fetches'),
    googleMaps: hosted('Google Maps'),
    fileSearch: hosted('file search'),
    computerUse: hosted('a computer'),
    retrieval: hosted('retrieval'),
    enterpriseWebSearch: hosted('web search'),
    mcpServers: hosted('MCP servers'),
  }),
);

const modes = ['AUTO', 'ANY', 'NONE', 'VALIDATED', 'MODE_UNSPECIFIED'] as const;

export const toolConfig = reportUnknown(
  z.object({
    functionCallingConfig: reportUnknown(
      z.object({
        mode: z.enum(modes, { error: 'must be AUTO, ANY, NONE or VALIDATED' }).optional(),
        allowedFunctionNames: list(functionName, { most: mostTools }).optional(),
        streamFunctionCallArguments: ignoredField('function calls are sent whole', [false]),
      }),
    ).optional(),
    retrievalConfig: ignoredField('retrieval is not supported'),
    includeServerSideToolInvocations: ignoredField('Conch does not run tools', [false]),
  }),
);

export type Tool = z.output<typeof tool>;
export type FunctionDeclaration = z.output<typeof functionDeclaration>;
export type ToolConfig = z.output<typeof toolConfig>;
