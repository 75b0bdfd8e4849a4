import type { Api } from '../lib/api.ts';
import { Charts } from './charts.tsx';
import { ModelTable } from './model-table.tsx';
import { ServerTable } from './server-table.tsx';
import { useFleet } from './use-fleet.ts';
import { useMeasures } from './use-measures.ts';

/** The properties of the dashboard. */
export interface DashboardProps {
  readonly api: Api;
  readonly isDark: boolean;
}

/** Live metrics, models and upstream servers. */
export function Dashboard({ api, isDark }: DashboardProps) {
  const { measures, errorText } = useMeasures(api);
  const fleet = useFleet(api);
  const errorTexts = [...new Set([errorText, fleet.errorText])].filter((each) => each !== undefined);
  return (
    <div class="dashboard">
      {errorTexts.map((each) => (
        <p key={each} class="notice" role="alert">
          {each}
        </p>
      ))}
      <section aria-labelledby="figures-heading">
        <h2 id="figures-heading">Live metrics</h2>
        <Charts measures={measures} isDark={isDark} />
      </section>
      <ModelTable fleet={fleet} />
      <ServerTable servers={fleet.servers} />
    </div>
  );
}
