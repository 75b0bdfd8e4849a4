import { TemplateError, type Value } from './values.ts';

/** What a function was called with. */
export interface Arguments {
  readonly args: Value[];
  readonly named: Map<string, Value>;
}

/** Applies a filter by its name. */
export type ApplyFilter = (name: string, value: Value, call: Arguments) => Value;

/** A filter: the value on the left of the pipe, its arguments, and a function that applies other filters. */
export type Filter = (value: Value, call: Arguments, apply: ApplyFilter) => Value;

/** The arguments in the order of the parameters' names, undefined (JavaScript's) where one was left out. */
export function bind(name: string, parameters: readonly string[], { args, named }: Arguments): (Value | undefined)[] {
  if (args.length > parameters.length) {
    throw new TemplateError(`${name}() takes at most ${parameters.length} arguments (${args.length} given)`);
  }
  const bound: (Value | undefined)[] = parameters.map((_, index) => args[index]);
  for (const [key, value] of named) {
    const index = parameters.indexOf(key);
    if (index < 0) throw new TemplateError(`${name}() got an unexpected keyword argument '${key}'`);
    if (bound[index] !== undefined) throw new TemplateError(`${name}() got multiple values for argument '${key}'`);
    bound[index] = value;
  }
  return bound;
}
