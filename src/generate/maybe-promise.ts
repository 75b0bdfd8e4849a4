/** A value that may still be on its way. What is there already is used at once: a promise costs a turn of the event loop. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Goes on with a value: now where it is there, else once it is. */
export function after<Value, Result>(
  value: MaybePromise<Value>,
  then: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(then) : then(value);
}
