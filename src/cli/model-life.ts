import type { CommandInput } from '../config/load.ts';
import { cleanText } from '../generate/faults.ts';
import { LoadOnDemand } from '../models/load-on-demand.ts';
import { ModelControl } from '../models/model-control.ts';
import { ModelDoor } from '../models/model-door.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { RunningRequests } from '../models/running-requests.ts';

/** What loads and unloads models while requests run, as the settings ask for it. */
export function modelLife(
  registry: ModelRegistry,
  { loadOnDemand, maxLoaded, loadTimeout, unloadTimeout }: CommandInput['settings'],
) {
  const running = new RunningRequests();
  const control = new ModelControl({ registry, running, loadTimeout, unloadTimeout, clean: cleanText });
  const onDemand = loadOnDemand
    ? new LoadOnDemand({ registry, running, control, maxLoaded, timeout: loadTimeout })
    : undefined;
  return { control, onDemand, door: new ModelDoor({ registry, running, onDemand, loadTimeout }) };
}
