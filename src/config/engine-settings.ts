import { z } from 'zod';
import { type SettingTable, setting } from './setting.ts';
import { duration } from './value-types.ts';

/** Settings of engines that fail while their server calls the model ready. */
export const engineSettings = {
  engineCheckInterval: setting(
    duration({ minimum: 0 }).prefault('30s'),
    'How often the engine of a vLLM or LLM API model is probed with one token; 0 for never. One that requests wait for in vain is probed sooner.',
    { group: 'servers', live: true, placeholder: 'DURATION' },
  ),
  engineRecovery: setting(
    z.enum(['auto', 'off']).default('auto'),
    'What Conch does about an engine that has failed: reload its model where the server allows that, or restart the tritonserver that Conch started; or leave it.',
    { group: 'servers', live: true },
  ),
} satisfies SettingTable;
