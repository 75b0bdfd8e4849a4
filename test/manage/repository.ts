import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A model repository of toys in a folder of its own; `breaks` cannot be loaded, `waits` loads when its gate is open. */
export function toyRepository(names: readonly string[], kinds: Partial<Record<string, 'breaks' | 'waits'>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'conch-manage-'));
  for (const name of names) {
    mkdirSync(join(folder, name, '1'), { recursive: true });
    const config = 'backend: "vllm"\ninstance_group [{ count: 1, kind: KIND_MODEL }]\n';
    writeFileSync(join(folder, name, 'config.pbtxt'), config);
    const toy = kinds[name] === 'waits' ? ', "toy": { "load_seconds": 1 }' : '';
    const settings = `{ "model": "toy", "tokenizer": "qwen3", "max_model_len": 4096${toy} }`;
    writeFileSync(join(folder, name, '1', 'model.json'), kinds[name] === 'breaks' ? '{ "model": 3' : settings);
  }
  return folder;
}

interface IndexRow {
  readonly name: string;
  readonly state?: string;
}

/** The state of each model as the index of Triton tells it; never loaded: empty. */
export async function indexOf({ httpPort }: { readonly httpPort: number }): Promise<Record<string, string>> {
  const response = await fetch(`http://127.0.0.1:${httpPort}/v2/repository/index`, { method: 'POST' });
  const rows = (await response.json()) as IndexRow[];
  return Object.fromEntries(rows.map(({ name, state = '' }) => [name, state]));
}
