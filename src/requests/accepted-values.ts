import type { z } from 'zod';

/** What a schema with a hand-written check accepts. The OpenAPI document is generated from it. */
export type AcceptedValues =
  | { readonly kind: 'list'; readonly item: z.ZodType; readonly least: number; readonly most: number }
  | { readonly kind: 'record'; readonly value: z.ZodType; readonly most: number }
  | { readonly kind: 'refused' | 'ignored'; readonly reason: string; readonly harmless: readonly unknown[] }
  | ({ readonly kind: 'partly-ignored' } & IgnoredValues<unknown, unknown>)
  | { readonly kind: 'any'; readonly of: readonly z.ZodType[] };

/** Values of a schema, and others that have no effect. */
export interface IgnoredValues<Value, Ignored> {
  readonly schema: z.ZodType<Value>;
  /** The schema of the ignored values. */
  readonly ignored: z.ZodType<Ignored>;
  readonly isIgnored: (value: unknown) => boolean;
  readonly reason: string;
}

const acceptedValues = new WeakMap<z.core.$ZodType, AcceptedValues>();

/** What a schema with a hand-written check accepts; undefined for other schemas, which describe themselves. */
export function acceptedValuesOf(schema: z.core.$ZodType): AcceptedValues | undefined {
  return acceptedValues.get(schema);
}

/** Registers what a schema with a hand-written check accepts, and returns the schema. */
export function withAcceptedValues<Schema extends z.ZodType>(what: AcceptedValues, schema: Schema): Schema {
  acceptedValues.set(schema, what);
  return schema;
}
