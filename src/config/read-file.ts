import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { didYouMean } from './nearest.ts';
import { syntaxProblems } from './problem.ts';
import { fileKey, type SettingTable } from './setting.ts';
import { fromFileValue, type SettingInput, type SourceValues } from './setting-input.ts';

interface FileOptions {
  /** The file's name, for errors and for the paths in it. */
  readonly file: string;
  readonly text: string;
  readonly settings: SettingTable;
  /** The keys of one model under `models:`. */
  readonly models: SettingTable;
}

/** The values of a YAML or JSON file; JSON is read as the YAML that it is. */
export function readFileSettings({ file, text, settings, models }: FileOptions): SourceValues {
  const reader = new FileReader(file, text);
  if (reader.problems.length > 0) return reader;
  reader.readMap([], { table: settings, more: ['models'] });
  for (const model of reader.keysAt(['models'])) {
    reader.readMap(['models', model], { table: models, more: [] });
  }
  return reader;
}

interface MapOptions {
  readonly table: SettingTable;
  readonly more: readonly string[];
}

class FileReader implements SourceValues {
  readonly inputs: SettingInput[] = [];
  readonly problems: string[] = [];
  readonly #file: string;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    this.problems.push(...syntaxProblems(this.#document.errors, (offset) => this.#position(offset)));
    if (this.problems.length === 0) this.#checkAliases();
    const { contents } = this.#document;
    if (this.problems.length > 0 || contents === null || isMap(contents)) return;
    if (!isScalar(contents) || contents.value !== null) {
      this.problems.push(
        `${this.#position(contents.range[0])}: The file must be a map of keys and values, for example "port: 9000".`,
      );
    }
  }

  readMap(path: readonly string[], { table, more }: MapOptions): void {
    const names = new Map(
      Object.entries(table).flatMap(([name, { file }]) => (file === false ? [] : [[fileKey(name), name]])),
    );
    const seen = new Set<string>();
    for (const written of this.keysAt(path)) {
      const key = written.replaceAll('-', '_');
      const label = this.label([...path, written]);
      const name = names.get(key);
      if (seen.has(key)) this.problems.push(`${label} is set twice. Remove one.`);
      else if (name !== undefined) this.#take([...path, written], { name, table });
      else if (!more.includes(key))
        this.problems.push(
          `${label} is not a key.${meant(key, { table, keys: [...names.keys(), ...more] }) || ' See docs/settings.md.'}`,
        );
      seen.add(key);
    }
  }

  /** The keys of the map at this path; none when it is empty, an error when it is not a map. */
  keysAt(path: readonly string[]): readonly string[] {
    const node = this.#nodeAt(path);
    if (node === undefined || (isScalar(node) && node.value === null)) return [];
    if (isMap(node)) return node.items.map(({ key }) => keyText(key));
    this.problems.push(`${this.label(path)} must be a map of keys and values.`);
    return [];
  }

  /** `conch.yaml:3:5: models.llama.tokenizer`, with the position of the key. */
  label(path: readonly PropertyKey[]): string {
    const words = path.filter((key) => typeof key === 'string');
    return `${this.#position(this.#offsetOf(path))}: ${words.join('.')}`;
  }

  #take(path: readonly string[], { name, table }: { name: string; table: SettingTable }): void {
    const setting = table[name];
    const value = this.#valueAt(path);
    if (setting === undefined || value === undefined || value === null) return;
    const [, model] = path.length > 1 ? path : [];
    this.inputs.push({
      name,
      ...(model === undefined ? {} : { model }),
      source: 'file',
      where: this.#position(this.#offsetOf(path)),
      input: fromFileValue(setting, value),
      label: (inner) => this.label([...path, ...inner]),
      file: this.#file,
    });
  }

  #valueAt(path: readonly string[]): unknown {
    try {
      return this.#nodeAt(path)?.toJS(this.#document);
    } catch {
      // The parser rejects aliases that would expand to something huge.
      this.problems.push(`${this.label(path)} has too many YAML aliases (*name). Write the values out.`);
      return undefined;
    }
  }

  #checkAliases(): void {
    visit(this.#document, {
      Alias: (_, alias) => {
        if (alias.resolve(this.#document) === undefined) {
          this.problems.push(
            `${this.#position(alias.range?.[0] ?? 0)}: The value begins with *, but there is no anchor of that name. Put the value in quotes.`,
          );
        }
      },
    });
  }

  #nodeAt(path: readonly PropertyKey[]): Node | undefined {
    let node = this.#resolve(this.#document.contents);
    for (const key of path) {
      if (isMap(node)) node = this.#resolve(pairOf(node, key)?.value);
      else if (isSeq(node)) node = this.#resolve(node.items[Number(key)]);
      else return undefined;
    }
    return node;
  }

  #offsetOf(path: readonly PropertyKey[]): number {
    const key = path.at(-1);
    const parent = this.#nodeAt(path.slice(0, -1));
    const found = key !== undefined && isMap(parent) ? pairOf(parent, key)?.key : this.#nodeAt(path);
    return (isNode(found) ? found.range?.[0] : undefined) ?? (path.length > 0 ? this.#offsetOf(path.slice(0, -1)) : 0);
  }

  #resolve(node: unknown): Node | undefined {
    if (isAlias(node)) return node.resolve(this.#document);
    return isNode(node) ? node : undefined;
  }

  #position(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.#file}:${line}:${col}`;
  }
}

function pairOf(map: YAMLMap, key: PropertyKey) {
  return map.items.find((pair) => keyText(pair.key) === key);
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.source ?? key.value) : String(key);
}

/** The key of the setting, where the file has the alias of its flag. */
function meant(key: string, { table, keys }: { table: SettingTable; keys: readonly string[] }): string {
  const flag = key.replaceAll('_', '-');
  const byAlias = Object.entries(table).find(([, { aliases = [] }]) => aliases.includes(flag));
  return byAlias === undefined ? didYouMean(key, keys) : ` Did you mean ${fileKey(byAlias[0])}?`;
}
