/** Characters of JSON of all lists together. */
const defaultLimit = 2 ** 21;

/**
 * Gives equal lists of tools as one object. An agent sends the same tools in every turn, so what is derived from a list
 * can be stored under it. Lists that were not used for the longest time are dropped.
 */
export class ToolLists {
  readonly #lists = new Map<string, readonly unknown[]>();
  readonly #limit: number;
  #size = 0;

  constructor(limit = defaultLimit) {
    this.#limit = limit;
  }

  /** The list, or an equal one that came earlier. Neither may be changed. */
  shared<Tools extends readonly unknown[]>(tools: Tools): Tools {
    const text = JSON.stringify(tools);
    if (text.length > this.#limit || isAmbiguous(text, tools)) return tools;
    const list = this.#lists.get(text) ?? tools;
    if (this.#lists.delete(text)) this.#size -= text.length;
    this.#lists.set(text, list);
    this.#size += text.length;
    for (const oldest of this.#lists.keys()) {
      if (this.#size <= this.#limit) break;
      this.#lists.delete(oldest);
      this.#size -= oldest.length;
    }
    return list as Tools;
  }
}

/** Whether an unequal list has the same text: JSON has null for a number that is too large, like 1e400. */
function isAmbiguous(text: string, tools: readonly unknown[]): boolean {
  return text.includes('null') && hasInfinity(tools);
}

function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInfinity);
}
