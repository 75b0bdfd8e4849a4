import type { SettingTable } from './setting.ts';

/** Settings of keys and what they allow. */
export const keySettings = {} satisfies SettingTable;
