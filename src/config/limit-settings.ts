import type { SettingTable } from './setting.ts';

/** Settings of what a request may hold, TLS and browsers. */
export const limitSettings = {} satisfies SettingTable;
