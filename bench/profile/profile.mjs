/** A CPU profile of V8 as a tree of frames with the time that each took. */
import { moduleFinder } from './modules.mjs';

/**
 * @typedef {{ functionName: string, url: string, lineNumber: number }} CallFrame
 * @typedef {{ id: number, callFrame: CallFrame, children?: number[] }} ProfileNode
 * @typedef {{ startTime: number, nodes: ProfileNode[], samples: number[], timeDeltas: number[] }} Profile as --cpu-prof writes it, times in µs
 * @typedef {{ name: string, group: string, self: number, total: number, children: Frame[] }} Frame
 */

const IDLE = '(idle)';
/** Node's functions that hand bytes to the kernel. */
const SOCKET_WRITES = new Set(['writeUtf8String', 'writeLatin1String', 'writeAsciiString', 'writeBuffer', 'writev']);

/**
 * What a frame belongs to.
 * @param {CallFrame} frame
 * @param {(frame: CallFrame) => string | undefined} moduleOf which module of a built file it is of
 */
export function groupOf(frame, moduleOf) {
  const { functionName, url } = frame;
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(root)') return 'all';
  if (functionName === '(program)') return 'native code outside of JavaScript (event loop, socket reads, compiling)';
  if (url === '')
    return SOCKET_WRITES.has(functionName) ? 'socket writes (kernel)' : 'native functions called from JavaScript';
  if (url.startsWith('node:')) return "Node's own JavaScript (streams, http, timers)";
  const module = moduleOf(frame);
  const [, packageName] = /(?:.*\/node_modules|^\.\.)\/((?:@[^/]+\/)?[^/]+)/.exec(module ?? url) ?? [];
  if (packageName !== undefined) return `package ${packageName}`;
  const [, room = 'main'] = /^src\/([^/]+)\//.exec(module ?? '') ?? [];
  return `Conch: ${room}`;
}

/**
 * The time of each node, by the samples between two moments after the start of the profile. Each sample stands for the time since the one before.
 * @param {Profile} profile
 * @param {{ from: number, to: number }} span in µs
 */
function selfTimes({ samples, timeDeltas }, { from, to }) {
  /** @type {Map<number, number>} */
  const times = new Map();
  let at = 0;
  for (const [index, node] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0;
    at += delta;
    if (at >= from && at <= to) times.set(node, (times.get(node) ?? 0) + delta);
  }
  return times;
}

/**
 * @param {Profile} profile
 * @param {{ from: number, to: number }} span in µs after the start of the profile
 * @param {(frame: CallFrame) => string | undefined} [moduleOf]
 * @returns {Frame} the root; time in which nothing ran is left out
 */
export function frameTree(profile, span, moduleOf = moduleFinder()) {
  const times = selfTimes(profile, span);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  /** @type {(node: ProfileNode) => Frame} */
  const frameOf = ({ id, callFrame, children = [] }) => {
    const inner = children.flatMap((child) => {
      const node = nodes.get(child);
      return node === undefined || node.callFrame.functionName === IDLE ? [] : [frameOf(node)];
    });
    const self = times.get(id) ?? 0;
    const total = inner.reduce((sum, frame) => sum + frame.total, self);
    return {
      name: callFrame.functionName || '(anonymous)',
      group: groupOf(callFrame, moduleOf),
      self,
      total,
      children: inner,
    };
  };
  const [root] = profile.nodes;
  if (root === undefined) throw new Error('The profile is empty.');
  return frameOf(root);
}

/**
 * The share of each group in the time that was used, the largest first.
 * @param {Frame} root
 */
export function sharesByGroup(root) {
  /** @type {Map<string, number>} */
  const times = new Map();
  const add = (/** @type {Frame} */ { group, self, children }) => {
    times.set(group, (times.get(group) ?? 0) + self);
    for (const child of children) add(child);
  };
  add(root);
  return [...times]
    .map(([group, time]) => ({ group, share: time / root.total }))
    .filter(({ share }) => share > 0)
    .toSorted((a, b) => b.share - a.share);
}
