import { once } from 'node:events';
import { createServer } from 'node:net';
import { SettingsError } from '../config/settings-error.ts';

/** An address to listen on, and the flag that sets its port. */
interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly flag: string;
}

/** Throws a SettingsError if a port is in use. */
export async function requireFree(address: ListenAddress): Promise<void> {
  await listening(address, async () => {
    const server = createServer().listen(address.port, address.host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  });
}

/** Starts to listen. Throws a SettingsError if the port or address cannot be used. */
export async function listening<Result>(
  { host, port, flag }: ListenAddress,
  start: () => Promise<Result>,
): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new SettingsError([`Port ${port} is in use on ${host}. Choose another with ${flag}.`]);
    if (code === 'EACCES')
      throw new SettingsError([`Port ${port} cannot be used: permission denied. Choose one above 1023 with ${flag}.`]);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new SettingsError([`This machine has no address ${host}. Choose another with --host.`]);
    throw error;
  }
}
