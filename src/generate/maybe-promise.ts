/** A value or its promise. An available value is used at once: a promise costs a turn of the event loop. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Continues with a value: now if it is available, else once it is. */
export function after<Value, Result>(
  value: MaybePromise<Value>,
  then: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(then) : then(value);
}
