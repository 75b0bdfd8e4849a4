import { usualQueue } from '../config/model-load-settings.ts';
import { modelSettings } from '../config/model-settings.ts';
import { cleanText } from '../generate/generation-errors.ts';
import type { Engines } from '../kserve/engines.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { Gates } from '../limits/gates.ts';
import type { Link } from '../link.ts';
import { Admission } from '../models/admission.ts';
import { LoadOnDemand } from '../models/load-on-demand.ts';
import { ModelControl } from '../models/model-control.ts';
import { ModelGate } from '../models/model-gate.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { RunningRequests } from '../models/running-requests.ts';
import { SharedRequests } from '../models/shared-requests.ts';
import type { LiveSettings } from './live-settings.ts';

interface LifeOptions {
  readonly live: LiveSettings;
  readonly gates: Gates;
  readonly link: Link;
  readonly engines: Engines;
}

/** Admits requests to models, and loads and unloads models, according to the settings. */
export function modelLife(registry: ModelRegistry, { live, gates, link, engines }: LifeOptions) {
  const { loadOnDemand, maxLoaded, loadTimeout, unloadTimeout } = live.current;
  const running = new RunningRequests();
  const requests = new SharedRequests({ link, registry, running });
  const onReloaded = (server: InferenceServer, model: string): void => engines.heal({ server, model });
  const control = new ModelControl({ registry, requests, loadTimeout, unloadTimeout, clean: cleanText, onReloaded });
  const onDemand = loadOnDemand
    ? new LoadOnDemand({ registry, running, control, maxLoaded, timeout: loadTimeout })
    : undefined;
  const admission = new Admission({
    gates,
    limitsOf: (root) => {
      const { maxRunning, maxWaiting = usualQueue } = modelSettings(live.current, root);
      return maxRunning === undefined ? undefined : { running: maxRunning, waiting: maxWaiting };
    },
    timeout: () => live.current.requestTimeout || undefined,
  });
  const gate = new ModelGate({ registry, running, admission, onDemand, loadTimeout });
  return { control, onDemand, admission, gate };
}
