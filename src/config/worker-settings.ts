import type { SettingTable } from './setting.ts';

/** Settings of processes, and how many requests run and wait. */
export const workerSettings = {} satisfies SettingTable;
