/** What each function took, out of V8's CPU and heap profiles. */
import { moduleFinder } from './modules.mjs';

/**
 * @import { CallFrame } from './profile.mjs'
 * @typedef {{ name: string, module: string, line: number }} CallSite a function
 * @typedef {CallSite & { amount: number }} Cost of a function: µs or bytes
 * @typedef {{ location: CallSite, amount: number, children: CostNode[] }} CostNode a call, and what it took without those that it made
 * @typedef {{ id: number, callFrame: CallFrame, selfSize: number, children: HeapNode[] }} HeapNode
 */

const NATIVE = 'V8 and native code';
const NOT_WORK = new Set(['(idle)', '(root)']);

/** @returns {(frame: CallFrame) => CallSite} */
function locationFinder() {
  const moduleOf = moduleFinder();
  return (frame) => ({
    name: frame.functionName || '(anonymous)',
    module: (moduleOf(frame) ?? frame.url) || NATIVE,
    line: frame.url.startsWith('file:') ? frame.lineNumber + 1 : 0,
  });
}

/**
 * The tree of calls of a CPU profile, in µs.
 * @param {import('./profile.mjs').Profile} profile
 */
export function timeTree({ nodes, samples, timeDeltas }) {
  /** @type {Map<number, number>} */
  const times = new Map();
  // A sample lasts until the next one.
  for (const [index, id] of samples.entries()) times.set(id, (times.get(id) ?? 0) + (timeDeltas[index + 1] ?? 0));
  const known = new Map(nodes.map((node) => [node.id, node]));
  const locationOf = locationFinder();
  /** @type {(id: number) => CostNode[]} */
  const nodeOf = (id) => {
    const node = known.get(id);
    if (node === undefined || node.callFrame.functionName === '(idle)') return [];
    const children = (node.children ?? []).flatMap(nodeOf);
    return [{ location: locationOf(node.callFrame), amount: times.get(id) ?? 0, children }];
  };
  return nodeOf(nodes[0]?.id ?? 0);
}

/**
 * The tree of calls of a sampled heap, in bytes.
 * @param {{ head: HeapNode }} profile
 */
export function allocationTree({ head }) {
  const locationOf = locationFinder();
  /** @type {(node: HeapNode) => CostNode} */
  const nodeOf = ({ callFrame, selfSize, children }) => ({
    location: locationOf(callFrame),
    amount: selfSize,
    children: children.map(nodeOf),
  });
  return [nodeOf(head)];
}

/**
 * What was used, by the function that is charged with it.
 * @param {CostNode[]} tree
 * @param {(place: CallSite) => boolean} [isCharged] whether a function is charged with its own cost; if not, its caller is
 * @returns {Cost[]} the largest first
 */
export function costs(tree, isCharged = () => true) {
  /** @type {Map<string, Cost>} */
  const found = new Map();
  const add = (/** @type {CostNode} */ { location, amount, children }, /** @type {CallSite | undefined} */ caller) => {
    const who = caller === undefined || isCharged(location) ? location : caller;
    if (amount > 0 && !NOT_WORK.has(who.name)) {
      const key = `${who.name} ${who.module} ${who.line}`;
      const cost = found.get(key) ?? { ...who, amount: 0 };
      cost.amount += amount;
      found.set(key, cost);
    }
    const next = NOT_WORK.has(who.name) ? undefined : who;
    for (const child of children) add(child, next);
  };
  for (const node of tree) add(node, undefined);
  return [...found.values()].toSorted((a, b) => b.amount - a.amount);
}

/** @param {Cost[]} found */
export const sumOf = (found) => found.reduce((sum, { amount }) => sum + amount, 0);

/**
 * The same by file, the largest first.
 * @param {Cost[]} found
 * @returns {[string, Cost[]][]}
 */
export function byModule(found) {
  /** @type {Map<string, Cost[]>} */
  const modules = new Map();
  for (const cost of found) modules.set(cost.module, [...(modules.get(cost.module) ?? []), cost]);
  return [...modules].toSorted((a, b) => sumOf(b[1]) - sumOf(a[1]));
}

/** Native functions count for who called them. */
export const ownJavaScript = (/** @type {CallSite} */ { module }) => module !== NATIVE;

/** Packages, Node and native functions count for the function of Conch that called them. */
export const ownSource = (/** @type {CallSite} */ { module }) => module.startsWith('src/');
