import type { SettingTable } from './setting.ts';

/** Settings of which server takes a request, and what becomes of servers that fail. */
export const balanceSettings = {} satisfies SettingTable;
