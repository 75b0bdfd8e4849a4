import type { Random } from './random.ts';

/** JSON as text: what JSON.stringify cannot say, such as two keys of one name, can be said too. */
type Written = string;

const scalars: readonly Written[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1',
  '1.5',
  '128',
  '129',
  '1e308',
  '-1e308',
  '1e999',
  '-1e999',
  '5e-324',
  '2147483647',
  '2147483648',
  '-2147483649',
  '9007199254740993',
  '18446744073709551616',
  '123456789012345678901234567890',
  '""',
  '" "',
  '"0"',
  '"true"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\ud83d\\ude00"',
  '"é\u202e\ufeff"',
  '"\u2028"',
  '"{{ messages }}{% for a in b %}"',
  '"(a+)+$"',
  '"[[[[[["',
  '"../../etc/passwd"',
  '"http://127.0.0.1:1/x"',
  '"data:image/png;base64,AAAA"',
  '"constructor"',
  '"toString"',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '[{}]',
  '{"type":null}',
  '{"type":"text"}',
  '{"type":"json_schema"}',
  '{"toString":1,"hasOwnProperty":2}',
  '{"$ref":"#"}',
  '{"anyOf":[{"$ref":"#"}]}',
];

const keys = ['type', 'role', 'content', 'name', 'model', 'id', 'constructor', 'toString', '', 'a', '\u0000', 'é', '0'];

/** Any JSON. */
export function anyJson(random: Random, depth = 0): Written {
  const kind = random.below(depth > 4 ? 6 : 10);
  if (kind < 5) return random.pick(scalars);
  if (kind === 5) return JSON.stringify(random.bytes(random.below(40)).toString('utf8'));
  if (kind < 8) return `[${random.times(4, () => anyJson(random, depth + 1)).join(',')}]`;
  const members = random.times(4, () => `${JSON.stringify(random.pick(keys))}:${anyJson(random, depth + 1)}`);
  return `{${members.join(',')}}`;
}

/** A valid value with some of its places changed. */
export function mutated(value: unknown, random: Random): Written {
  const locations = countLocations(value);
  const chosen = new Set(Array.from({ length: 1 + random.below(3) }, () => random.below(locations)));
  let at = 0;
  const write = (part: unknown): Written => {
    if (chosen.has(at++)) return replacement(part, random, write);
    return plain(part, write);
  };
  return write(value);
}

function countLocations(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, part: unknown) => sum + countLocations(part), 1);
}

type Write = (part: unknown) => Written;

function plain(part: unknown, write: Write): Written {
  if (Array.isArray(part)) return `[${part.map(write).join(',')}]`;
  if (typeof part !== 'object' || part === null) return JSON.stringify(part);
  return `{${membersOf(part, write).join(',')}}`;
}

function membersOf(part: object, write: Write): Written[] {
  return Object.entries(part).map(([key, value]) => `${JSON.stringify(key)}:${write(value)}`);
}

function replacement(part: unknown, random: Random, write: Write): Written {
  const choice = random.below(10);
  if (choice < 4) return random.pick(scalars);
  if (choice === 4) return anyJson(random);
  if (choice === 5) return deep(random);
  if (typeof part === 'string') return JSON.stringify(twisted(part, random));
  if (Array.isArray(part)) return `[${changedList(part, random).map(write).join(',')}]`;
  if (typeof part === 'object' && part !== null) return `{${changedMembers(part, random, write).join(',')}}`;
  return random.pick(scalars);
}

function deep(random: Random): Written {
  const depth = random.pick([20, 100, 129, 1_000, 20_000]);
  return random.chance(0.5)
    ? '['.repeat(depth) + ']'.repeat(depth)
    : '{"a":'.repeat(depth) + random.pick(scalars) + '}'.repeat(depth);
}

function twisted(text: string, random: Random): string {
  return random.pick([
    () => text.repeat(random.pick([0, 2, 500])),
    () => text.slice(0, random.below(text.length + 1)),
    () => text + random.bytes(8).toString('latin1'),
    () => text.toUpperCase(),
    () => `${text}\u0000`,
    () => `${text}\ud800`,
    () => '['.repeat(random.pick([10, 300, 30_000])),
    () => `{"a":${'['.repeat(300)}${']'.repeat(300)}}`,
  ])();
}

function changedList(list: readonly unknown[], random: Random): readonly unknown[] {
  const [first] = list;
  return random.pick([
    () => [],
    () => list.slice(1),
    () => [...list, ...list],
    () => Array.from({ length: random.pick([17, 129, 1_100]) }, () => first),
    () => [...list, null],
    () => list.toReversed(),
  ])();
}

function changedMembers(part: object, random: Random, write: Write): Written[] {
  const members = membersOf(part, write);
  const key = random.pick([...Object.keys(part), ...keys]);
  return random.pick([
    () => members.filter(() => random.chance(0.7)),
    () => [...members, `${JSON.stringify(key)}:${random.pick(scalars)}`],
    () => [`"__proto__":${anyJson(random)}`, ...members],
    () => [...members, ...members],
    () => [...members, ...Array.from({ length: 300 }, (_, at) => `"k${at}":${at}`)],
    () => members.toReversed(),
  ])();
}
