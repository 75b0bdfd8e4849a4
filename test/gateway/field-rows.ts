import type { Response } from '../support/gateway.ts';

/** One field of a request: what is sent, and what must come of it. */
export interface Row {
  readonly send: Readonly<Record<string, unknown>>;
  readonly outcome: Outcome;
  /** Values that must be a 400 with the field, or the place inside it that is named here, as its `param`. */
  readonly bad?: readonly (readonly [value: unknown, param?: string])[];
}

export type Outcome =
  /** Exactly these sampling parameters reach the model, beside the length; and these tensors beside the usual. */
  | { readonly sent: Readonly<Record<string, unknown>>; readonly inputs?: Readonly<Record<string, readonly unknown[]>> }
  /** What can be seen in the answer to the directive echo_parameters, and what that must be. */
  | { readonly seen: (response: Response) => unknown; readonly is: unknown }
  /** A 400 that names it; the harmless values pass. */
  | { readonly refused: true; readonly harmless?: readonly unknown[] }
  /** Known, and without effect here. */
  | { readonly without: 'effect' };

export const refused = (value: unknown, ...harmless: unknown[]) => ({ value, harmless });

/** Rows for fields that this model refuses: the value that is refused, those that say nothing, and those that are wrong. */
export function refusedRows<Name extends string>(
  values: Readonly<Record<Name, { value: unknown; harmless: unknown[] }>>,
  bad?: Readonly<Partial<Record<Name, NonNullable<Row['bad']>>>>,
): Record<Name, Row> {
  const rows = Object.entries<{ value: unknown; harmless: unknown[] }>(values).map(([name, { value, harmless }]) => [
    name,
    { send: { [name]: value }, outcome: { refused: true, harmless }, bad: bad?.[name as Name] ?? [] } satisfies Row,
  ]);
  return Object.fromEntries(rows) as Record<Name, Row>;
}
