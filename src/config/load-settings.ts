import { z } from 'zod';
import { setting } from './setting.ts';
import { duration } from './value-types.ts';

/** Settings of loading and unloading models while Conch runs. */
export const loadSettings = {
  loadOnDemand: setting(
    z.boolean().default(false),
    'Load a model of a repository when a request names it; the request waits. Servers must be in explicit mode.',
    { group: 'models' },
  ),
  maxLoaded: setting(
    z.number().int().min(1).optional(),
    'With --load-on-demand: models that are loaded at the same time. The one that was used the longest time ago makes room.',
    { group: 'models', defaultText: 'any number' },
  ),
  loadTimeout: setting(
    duration({ minimum: 1 }).prefault('10m'),
    'How long a model may take to load, and a request may wait for it with --load-on-demand.',
    { group: 'models', placeholder: 'DURATION' },
  ),
  unloadTimeout: setting(
    duration({ minimum: 0 }).prefault('60s'),
    'How long the running requests of a model that is unloaded may take to end, after which they are cancelled.',
    { group: 'models', placeholder: 'DURATION' },
  ),
};
