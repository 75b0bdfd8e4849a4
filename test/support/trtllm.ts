import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTriton, type Triton } from './triton.ts';
import { type TrtllmOptions, type TrtllmRepository, writeTrtllmRepository } from './trtllm-repository.ts';

export interface Trtllm extends Triton, TrtllmRepository {}

/** Starts a real tritonserver with the imitated models of TensorRT-LLM, in a repository of its own. */
export async function startTrtllm(options: TrtllmOptions = {}): Promise<Trtllm> {
  const folder = mkdtempSync(join(tmpdir(), 'conch-trtllm-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const written = writeTrtllmRepository(folder, options);
    const triton = await startTriton({
      repository: written.repository,
      // As TensorRT-LLM's own launch script has it: what config.pbtxt does not say is not so.
      extraArguments: ['--disable-auto-complete-config'],
    });
    // Nothing is lost when it is killed, and an orderly end takes seconds.
    return { ...triton, ...written, stop: () => triton.kill('SIGKILL').finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}
