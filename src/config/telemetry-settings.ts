import type { SettingTable } from './setting.ts';

/** Settings of metrics and traces. */
export const telemetrySettings = {} satisfies SettingTable;
