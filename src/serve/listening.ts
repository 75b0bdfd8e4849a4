import { once } from 'node:events';
import { createServer } from 'node:net';
import { SettingsError } from '../config/settings-error.ts';

/** Where something listens, and the flag that says so. */
interface Place {
  readonly host: string;
  readonly port: number;
  readonly flag: string;
}

/** Refuses a port that is in use, without keeping it. */
export async function requireFree(place: Place): Promise<void> {
  await listening(place, async () => {
    const server = createServer().listen(place.port, place.host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
  });
}

/** Starts to listen; a port or address that cannot be had is a mistake in the settings, with its remedy. */
export async function listening<Result>({ host, port, flag }: Place, start: () => Promise<Result>): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new SettingsError([`Port ${port} is in use on ${host}. Choose another with ${flag}.`]);
    if (code === 'EACCES')
      throw new SettingsError([`Port ${port} needs more rights. Choose one above 1023 with ${flag}.`]);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new SettingsError([`This machine has no address ${host}. Choose another with --host.`]);
    throw error;
  }
}
