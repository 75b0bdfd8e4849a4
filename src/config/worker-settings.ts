import { z } from 'zod';
import { type SettingTable, setting } from './setting.ts';

/** How many requests wait for a model with a limit where nothing else is said. */
export const usualQueue = 100;

/** How many requests a model has at a time; per model, so that they stand in the table of those. */
export const admissionSettings = {
  maxRunning: setting(
    z.number().int().min(1).optional(),
    'Requests to a model that run at the same time, in all workers together; further ones wait.',
    { group: 'models', placeholder: '[MODEL=]N', perModel: true, live: true, defaultText: 'any number' },
  ),
  maxWaiting: setting(
    z.number().int().min(0).optional(),
    'With --max-running: requests to a model that wait; one more is answered with a 429.',
    { group: 'models', placeholder: '[MODEL=]N', perModel: true, live: true, defaultText: String(usualQueue) },
  ),
};

/** Settings of processes. */
export const workerSettings = {
  workers: setting(
    z.number().int().min(1).max(256).default(1),
    'Processes that answer requests on the same ports. More than one needs models on a Triton server.',
    { group: 'api' },
  ),
} satisfies SettingTable;
