/**
 * The token server on a port that is known beforehand, for gateways that others start. `npm run bench -- --upstream PORT` serves it until it is
 * interrupted; a run in another terminal finds it by a socket in the folder for temporary files, and sets its pace over that.
 */
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTokenServer } from './processes.mjs';

/** @import { TokenServer } from './processes.mjs' */

const IDLE_INTERVAL = 10;
const MOST_SECONDS = 7 * 24 * 3600;

/** @param {number} port */
const socketOf = (port) => path.join(tmpdir(), `conch-bench-upstream-${port}.sock`);

/**
 * @param {number} port
 * @param {string} contract
 */
async function startOn(port, contract) {
  try {
    return await startTokenServer(IDLE_INTERVAL, contract, { port, maxSeconds: MOST_SECONDS });
  } catch {
    throw new Error(
      `The token server cannot listen on port ${port}. Stop what uses it, or choose another with --upstream PORT.`,
    );
  }
}

/**
 * Serves it until the process is interrupted. Whoever connects to its socket is told what it is, and sends a pace per line; when it leaves, the
 * pace is as before.
 * @param {number} port
 * @param {string} contract
 */
export async function serveUpstream(port, contract) {
  const server = await startOn(port, contract);
  const file = socketOf(port);
  rmSync(file, { force: true });
  process.on('exit', () => rmSync(file, { force: true }));
  const control = net.createServer((socket) => {
    socket.write(`${JSON.stringify({ pid: server.pid, contract })}\n`);
    socket.setEncoding('utf8').on('data', (text) => {
      server.changeInterval(Number(String(text).trim().split('\n').at(-1)));
    });
    socket.on('close', () => server.changeInterval(IDLE_INTERVAL)).on('error', () => socket.destroy());
  });
  await once(control.listen(file), 'listening');
}

/**
 * The one that another terminal serves on this port; undefined where there is none.
 * @param {number} port
 * @param {string} contract
 * @returns {Promise<TokenServer | undefined>}
 */
async function findUpstream(port, contract) {
  if (!existsSync(socketOf(port))) return undefined;
  const socket = net.connect(socketOf(port)).setEncoding('utf8');
  try {
    const [text] = await once(socket, 'data');
    const served = JSON.parse(text);
    if (served.contract !== contract)
      throw new Error(`The token server on port ${port} has --contract ${served.contract}: pass the same here.`);
    return {
      pid: served.pid,
      port,
      changeInterval: (milliseconds) => void socket.write(`${milliseconds}\n`),
      stop: async () => void socket.destroy(),
    };
  } catch (error) {
    socket.destroy();
    // A socket that was left behind.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/**
 * @param {number} port
 * @param {string} contract
 * @returns {Promise<TokenServer>}
 */
export async function openUpstream(port, contract) {
  return (await findUpstream(port, contract)) ?? (await startOn(port, contract));
}
