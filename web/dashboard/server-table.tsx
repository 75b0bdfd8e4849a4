import { timeText } from '../lib/number-text.ts';
import type { Server } from './model-rows.ts';

/** The class of a state. */
const colors: Readonly<Record<string, string>> = { ready: 'good', 'slow-start': 'good' };

/** Clearer names of states. With slow start, a new server gets a small share of requests at first. */
const names: Readonly<Record<string, string>> = { 'slow-start': 'ready, warming up' };

/** The upstream servers and their states. */
export function ServerTable({ servers }: { readonly servers: readonly Server[] }) {
  return (
    <section aria-labelledby="servers-heading">
      <h2 id="servers-heading">Servers</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Server</th>
            <th scope="col">State</th>
            <th scope="col">Running</th>
            <th scope="col">Requests</th>
            <th scope="col">Failed</th>
            <th scope="col">First response</th>
            <th scope="col">Last error</th>
          </tr>
        </thead>
        <tbody>
          {servers.map((server) => (
            <tr key={server.id}>
              <th scope="row">
                {server.id} <span class="hint">{server.kind}</span>
              </th>
              <td data-label="State">
                <span class={`state ${colors[server.state] ?? 'bad'}`}>{names[server.state] ?? server.state}</span>
              </td>
              <td data-label="Running">{server.running}</td>
              <td data-label="Requests">{server.requests}</td>
              <td data-label="Failed">{server.failures}</td>
              <td data-label="First response">
                {server.first_response_ms === null ? '–' : timeText(server.first_response_ms)}
              </td>
              <td data-label="Last error">{server.last_error?.message || server.last_error?.code || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {servers.length === 0 && <p class="hint">No servers found.</p>}
    </section>
  );
}
