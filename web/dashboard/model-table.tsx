import { type ModelRow, modelRows } from './model-rows.ts';
import type { Fleet } from './use-fleet.ts';

/** The models with their states, and buttons to load and unload them. */
export function ModelTable({ fleet }: { readonly fleet: Fleet }) {
  const rows = modelRows(fleet.models, fleet.servers);
  return (
    <section aria-labelledby="models-heading">
      <h2 id="models-heading">Models</h2>
      <p role="status" class="order-status">
        {fleet.outcome}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Capabilities</th>
            <th scope="col">Context length</th>
            <th scope="col">State</th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.name} row={row} fleet={fleet} />
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="hint">No models found. Check that a server is ready.</p>}
    </section>
  );
}

function Row({ row, fleet }: { readonly row: ModelRow; readonly fleet: Fleet }) {
  const { name, kind, abilities, context, states, order } = row;
  return (
    <tr>
      <th scope="row">
        {name} {kind !== '' && <span class="hint">{kind}</span>}
      </th>
      <td data-label="Capabilities">{abilities.join(', ') || '–'}</td>
      <td data-label="Context length">{context?.toLocaleString('en') ?? '–'}</td>
      <td data-label="State">
        {states.map(({ server, state }) => (
          <span key={server} class={`state ${state === 'READY' ? 'good' : 'idle'}`}>
            {states.length > 1 ? `${server}: ` : ''}
            {state.toLowerCase()}
          </span>
        ))}
      </td>
      <td data-label="Action">
        {order !== undefined && (
          <button
            type="button"
            class="small"
            disabled={fleet.busy !== undefined}
            aria-label={`${order === 'load' ? 'Load' : 'Unload'} ${name}`}
            onClick={() => fleet.give(order, name)}
          >
            {order === 'load' ? 'Load' : 'Unload'}
          </button>
        )}
      </td>
    </tr>
  );
}
