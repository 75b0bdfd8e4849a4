import { type ModelRow, modelRows } from './model-rows.ts';
import type { Fleet } from './use-fleet.ts';

/** The models with their state, and the order to load or unload them. */
export function ModelTable({ fleet }: { readonly fleet: Fleet }) {
  const rows = modelRows(fleet.models, fleet.servers);
  return (
    <section aria-labelledby="models-heading">
      <h2 id="models-heading">Models</h2>
      <p role="status" class="told">
        {fleet.told}
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Can</th>
            <th scope="col">Context</th>
            <th scope="col">State</th>
            <th scope="col">Order</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.name} row={row} fleet={fleet} />
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="hint">There is none.</p>}
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
      <td data-label="Can">{abilities.join(', ') || '–'}</td>
      <td data-label="Context">{context?.toLocaleString('en') ?? '–'}</td>
      <td data-label="State">
        {states.map(({ server, state }) => (
          <span key={server} class={`state ${state === 'READY' ? 'good' : 'idle'}`}>
            {states.length > 1 ? `${server}: ` : ''}
            {state.toLowerCase()}
          </span>
        ))}
      </td>
      <td data-label="Order">
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
