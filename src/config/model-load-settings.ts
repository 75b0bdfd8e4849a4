import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { duration } from './value-types.ts';

/** Settings of loading and unloading models while Conch runs. */
export const modelLoadSettings = inGroup('models', {
  loadOnDemand: setting(
    z.boolean().default(false),
    'Load a model of a repository when a request names it. The request waits. Triton servers must run in explicit mode.',
  ),
  maxLoaded: setting(
    z.number().int().min(1).optional(),
    'Limit how many models --load-on-demand has loaded at the same time. Conch unloads the least recently used model first.',
    { defaultText: 'no limit' },
  ),
  loadTimeout: setting(
    duration({ minimum: 1 }).prefault('10m'),
    'Limit how long a model takes to load, and how long a request waits for it with --load-on-demand.',
  ),
  unloadTimeout: setting(
    duration({ minimum: 0 }).prefault('60s'),
    'Limit how long running requests continue when their model is unloaded. Then Conch cancels them.',
  ),
});

/** How many requests wait for a model with a limit by default. */
export const usualQueue = 100;

/** How many requests a model runs at the same time. These are in the table of settings per model. */
export const admissionSettings = inGroup('models', {
  maxRunning: setting(
    z.number().int().min(1).optional(),
    'Limit the requests to a model that run at the same time, in all workers together. Further requests wait.',
    { placeholder: '[MODEL=]N', perModel: true, live: true, defaultText: 'no limit' },
  ),
  maxWaiting: setting(
    z.number().int().min(0).optional(),
    'Limit the requests to a model that wait with --max-running. Conch rejects further requests with a 429.',
    { placeholder: '[MODEL=]N', perModel: true, live: true, defaultText: String(usualQueue) },
  ),
});
