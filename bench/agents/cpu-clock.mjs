// Loaded into a gateway by --import: tells the CPU time of its process, in µs, to every line on a socket. /proc counts in steps of 10 ms,
// which is more than a turn of an agent takes.
import net from 'node:net';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const file = process.env['CPU_CLOCK'];
if (isMainThread && file !== undefined) {
  const server = net.createServer((socket) => {
    socket.unref().on('data', () => {
      const { user, system } = process.cpuUsage();
      socket.write(`${user + system}\n`);
    });
  });
  server.listen(file).unref();
}
