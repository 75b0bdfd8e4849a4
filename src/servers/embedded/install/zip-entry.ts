import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { EngineError } from '../../../engine-error.ts';

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const endSize = 22;
const longestComment = 0xffff;

/** The content of the first file of a zip archive with this file name ending. */
export async function openZipEntry(archive: string, ending: string): Promise<Readable> {
  const handle = await open(archive);
  try {
    const { size } = await handle.stat();
    const directory = await readDirectory(handle, size);
    const entry = findEntry(directory, ending);
    if (!entry) throw new EngineError(`${archive} contains no ${ending} file.`);
    const header = Buffer.alloc(30);
    await handle.read(header, 0, header.length, entry.at);
    const start = entry.at + header.length + header.readUInt16LE(26) + header.readUInt16LE(28);
    const stored = createReadStream(archive, { start, end: start + entry.size - 1 });
    if (entry.method === 0) return stored;
    const inflated = createInflateRaw();
    stored.on('error', (error) => inflated.destroy(error));
    return stored.pipe(inflated);
  } finally {
    await handle.close();
  }
}

/** The list of entries is at the end of the file, before a comment of unknown length. */
async function readDirectory(handle: FileHandle, size: number): Promise<Buffer> {
  const tail = Buffer.alloc(Math.min(size, endSize + longestComment));
  await handle.read(tail, 0, tail.length, size - tail.length);
  for (let at = tail.length - endSize; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== endSignature) continue;
    const directory = Buffer.alloc(tail.readUInt32LE(at + 12));
    await handle.read(directory, 0, directory.length, tail.readUInt32LE(at + 16));
    return directory;
  }
  throw new EngineError('The download is not a zip archive.');
}

function findEntry(directory: Buffer, ending: string): { at: number; size: number; method: number } | undefined {
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === entrySignature; ) {
    const nameLength = directory.readUInt16LE(at + 28);
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength);
    if (name.endsWith(ending))
      return {
        at: directory.readUInt32LE(at + 42),
        size: directory.readUInt32LE(at + 20),
        method: directory.readUInt16LE(at + 10),
      };
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return undefined;
}
