import {
  Callable,
  compare,
  contains,
  equal,
  integerOf,
  PyFloat,
  TemplateError,
  Undefined,
  type Value,
} from './values.ts';

type Test = (value: Value, args: Value[]) => boolean;

const argument = (args: Value[]): Value => args[0] ?? null;
const isInteger = (value: Value): boolean => typeof value === 'number' || typeof value === 'bigint';

/** The tests that may follow `is`. */
const tests = new Map<string, Test>([
  ['boolean', (value) => typeof value === 'boolean'],
  ['callable', (value) => value instanceof Callable],
  ['defined', (value) => !(value instanceof Undefined)],
  ['divisibleby', (value, args) => integerOf(value, 'value') % integerOf(argument(args), 'divisor') === 0],
  ['escaped', () => false],
  ['even', (value) => integerOf(value, 'value') % 2 === 0],
  ['false', (value) => value === false],
  ['float', (value) => value instanceof PyFloat],
  ['in', (value, args) => contains(argument(args), value)],
  ['integer', isInteger],
  ['iterable', (value) => isSequence(value)],
  ['lower', (value) => typeof value === 'string' && value === value.toLowerCase() && value !== value.toUpperCase()],
  ['mapping', (value) => value instanceof Map],
  ['none', (value) => value === null],
  ['number', (value) => isInteger(value) || value instanceof PyFloat || typeof value === 'boolean'],
  ['odd', (value) => Math.abs(integerOf(value, 'value') % 2) === 1],
  ['sameas', (value, args) => value === argument(args)],
  ['sequence', (value) => isSequence(value)],
  ['string', (value) => typeof value === 'string'],
  ['true', (value) => value === true],
  ['undefined', (value) => value instanceof Undefined],
  ['upper', (value) => typeof value === 'string' && value === value.toUpperCase() && value !== value.toLowerCase()],
  ...(['eq', 'equalto', '=='] as const).map((name): [string, Test] => [name, (a, args) => equal(a, argument(args))]),
  ...(['ne', '!='] as const).map((name): [string, Test] => [name, (a, args) => !equal(a, argument(args))]),
  ...(['lt', 'lessthan', '<'] as const).map((name): [string, Test] => [
    name,
    (a, args) => compare(a, argument(args)) < 0,
  ]),
  ...(['gt', 'greaterthan', '>'] as const).map((name): [string, Test] => [name, (a, b) => compare(a, argument(b)) > 0]),
  ...(['le', '<='] as const).map((name): [string, Test] => [name, (a, args) => compare(a, argument(args)) <= 0]),
  ...(['ge', '>='] as const).map((name): [string, Test] => [name, (a, args) => compare(a, argument(args)) >= 0]),
]);

// Jinja asks for length and subscripts, which its Undefined has too.
function isSequence(value: Value): boolean {
  return typeof value === 'string' || Array.isArray(value) || value instanceof Map || value instanceof Undefined;
}

/** Whether a value passes a test. */
export function passes(name: string, value: Value, args: Value[]): boolean {
  const test = tests.get(name);
  if (test === undefined) throw new TemplateError(`No test named '${name}'.`);
  return test(value, args);
}
