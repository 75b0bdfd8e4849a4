import { z } from 'zod';
import { inGroup, setting } from './setting.ts';
import { duration } from './value-types.ts';

/** Settings of loading and unloading models while Conch runs. */
export const modelLoadSettings = inGroup('models', {
  loadOnDemand: setting(
    z.boolean().default(false),
    'Load a model of a repository when a request names it; the request waits. Servers must be in explicit mode.',
  ),
  maxLoaded: setting(
    z.number().int().min(1).optional(),
    'With --load-on-demand: models that are loaded at the same time. The one that was used the longest time ago makes room.',
    { defaultText: 'any number' },
  ),
  loadTimeout: setting(
    duration({ minimum: 1 }).prefault('10m'),
    'How long a model may take to load, and a request may wait for it with --load-on-demand.',
  ),
  unloadTimeout: setting(
    duration({ minimum: 0 }).prefault('60s'),
    'How long the running requests of a model that is unloaded may take to end, after which they are cancelled.',
  ),
});

/** How many requests wait for a model with a limit where nothing else is said. */
export const usualQueue = 100;

/** How many requests a model has at a time; per model, so that they stand in the table of those. */
export const admissionSettings = inGroup('models', {
  maxRunning: setting(
    z.number().int().min(1).optional(),
    'Requests to a model that run at the same time, in all workers together; further ones wait.',
    { placeholder: '[MODEL=]N', perModel: true, live: true, defaultText: 'any number' },
  ),
  maxWaiting: setting(
    z.number().int().min(0).optional(),
    'With --max-running: requests to a model that wait; one more is answered with a 429.',
    { placeholder: '[MODEL=]N', perModel: true, live: true, defaultText: String(usualQueue) },
  ),
});
