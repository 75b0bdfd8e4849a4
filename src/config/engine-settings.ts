import { z } from 'zod';
import { type SettingTable, setting } from './setting.ts';
import { duration } from './value-types.ts';

/** Settings of engines that fail while their server calls the model ready. */
export const engineSettings = {
  engineCheckInterval: setting(
    duration({ minimum: 0 }).prefault('30s'),
    'How often to probe the engine of a vLLM or LLM API model with a one-token request. An engine that keeps requests waiting is probed sooner. 0 turns all probes off.',
    { group: 'servers', live: true, placeholder: 'DURATION' },
  ),
  engineRecovery: setting(
    z.enum(['auto', 'off']).default('auto'),
    'What to do about a failed engine. auto: reload its model if Triton runs in explicit mode, else restart tritonserver if Conch started it, else warn. off: only report it.',
    { group: 'servers', live: true },
  ),
} satisfies SettingTable;
