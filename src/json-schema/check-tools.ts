import { ApiError } from '../errors.ts';
import { checkKeywords } from './check.ts';
import { type SchemaPath, schemaError } from './schema-path.ts';
import { checkSize, checkToolSize, fitsGuide, type SchemaSize } from './size.ts';

interface Tool {
  readonly function: { readonly parameters?: Readonly<Record<string, unknown>> | null | undefined };
}

interface ToolCheck<Checked extends Tool> {
  /** Whether the arguments of a call must match the tool's schema. */
  readonly isBinding: (tool: Checked) => boolean;
  /** Whether the schemas of all tools become one guide. */
  readonly isGuide: boolean;
}

/** What the check of tools found. */
export interface CheckedTools {
  /** The paths of errors in schemas that are not binding. */
  readonly unread: readonly string[];
  /** Whether one guide can have the schemas of all tools. */
  readonly canGuide: boolean;
}

/** The sizes of lists without an error: an agent sends the same tools in every turn. */
const validLists = new WeakMap<readonly Tool[], SchemaSize>();

/**
 * Checks the parameters of a request's tools, and their size together. An error in a binding schema is a 400. Other
 * schemas are only text for the model, so that one tool with an invalid pattern does not end a conversation.
 * A valid list is read once, so it may not be changed.
 */
export function checkToolSchemas<Checked extends Tool>(
  tools: readonly Checked[],
  { isBinding, isGuide }: ToolCheck<Checked>,
): CheckedTools {
  const known = validLists.get(tools);
  if (known) {
    checkToolSize(known, { isGuide });
    return { unread: [], canGuide: fitsGuide(known) };
  }
  let total = { characters: 0, parts: 0 };
  const unread: string[] = [];
  tools.forEach((tool, at) => {
    const { parameters } = tool.function;
    if (!parameters) return;
    const root: SchemaPath = { parent: undefined, key: `tools[${at}].function.parameters` };
    const { type = 'object' } = parameters;
    if (type !== 'object') throw schemaError({ parent: root, key: 'type' }, notAnObject);
    const { characters, parts } = checkSize(parameters, root);
    total = { characters: total.characters + characters, parts: total.parts + parts };
    checkToolSize(total, { isGuide });
    try {
      checkKeywords(parameters, root);
    } catch (error) {
      const { param } = ApiError.from(error);
      if (param === null || isBinding(tool)) throw error;
      unread.push(param);
    }
  });
  if (unread.length === 0) validLists.set(tools, total);
  return { unread, canGuide: unread.length === 0 && fitsGuide(total) };
}

const notAnObject = 'must be object: the arguments of a function are an object.';
