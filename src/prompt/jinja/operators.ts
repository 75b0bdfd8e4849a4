import { formatPercent } from './format.ts';
import { textOf } from './text.ts';
import {
  compare,
  contains,
  equal,
  numberOf,
  orElse,
  PyFloat,
  requireDefined,
  TemplateError,
  Tuple,
  tuple,
  typeName,
  type Value,
} from './values.ts';

const largestRepeat = 1_000_000;

/** A binary operator with Python's meaning; `and` and `or` are the evaluator's. */
export function binary(operator: string, left: Value, right: Value): Value {
  switch (operator) {
    case '==':
      return equal(left, right);
    case '!=':
      return !equal(left, right);
    case 'in':
      return contains(right, left);
    case 'not in':
      return !contains(right, left);
    case '~':
      return textOf(left) + textOf(right);
    case '<':
      return compare(left, right) < 0;
    case '>':
      return compare(left, right) > 0;
    case '<=':
      return compare(left, right) <= 0;
    case '>=':
      return compare(left, right) >= 0;
    default:
      return arithmetic(operator, left, right);
  }
}

function arithmetic(operator: string, left: Value, right: Value): Value {
  requireDefined(left);
  requireDefined(right);
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== undefined && b !== undefined) {
    return numeric(operator, a, b, left instanceof PyFloat || right instanceof PyFloat);
  }
  if (operator === '+') {
    if (typeof left === 'string' && typeof right === 'string') return left + right;
    if (left instanceof Tuple && right instanceof Tuple) return tuple([...left, ...right]);
    if (Array.isArray(left) && Array.isArray(right) && !(left instanceof Tuple) && !(right instanceof Tuple)) {
      return [...left, ...right];
    }
    if (typeof left === 'string') {
      throw new TemplateError(`can only concatenate str (not "${typeName(right)}") to str`);
    }
  }
  if (operator === '*' && b !== undefined) return repeated(left, b);
  if (operator === '*' && a !== undefined) return repeated(right, a);
  if (operator === '%' && typeof left === 'string') return formatPercent(left, right);
  throw new TemplateError(`unsupported operand type(s) for ${operator}: '${typeName(left)}' and '${typeName(right)}'`);
}

function repeated(value: Value, times: number): Value {
  const count = Math.max(0, times);
  if (typeof value === 'string') {
    if (value.length * count > largestRepeat) throw new TemplateError('A repeated text grew too long.', 'limit');
    return value.repeat(count);
  }
  if (Array.isArray(value)) {
    if (value.length * count > largestRepeat) throw new TemplateError('A repeated list grew too long.', 'limit');
    return Array.from({ length: count }, () => value).flat();
  }
  throw new TemplateError(`can't multiply '${typeName(value)}' by a number`);
}

function numeric(operator: string, a: number, b: number, float: boolean): Value {
  const result = (value: number): Value => (float ? new PyFloat(value) : value);
  if (b === 0 && (operator === '/' || operator === '//' || operator === '%'))
    throw new TemplateError('division by zero');
  switch (operator) {
    case '+':
      return result(a + b);
    case '-':
      return result(a - b);
    case '*':
      return result(a * b);
    case '/':
      return new PyFloat(a / b);
    case '//':
      return result(Math.floor(a / b));
    case '%':
      // Python's remainder has the sign of the divisor.
      return result(a - b * Math.floor(a / b));
    case '**':
      return float || b < 0 ? new PyFloat(a ** b) : a ** b;
    default:
      throw new TemplateError(`unknown operator ${operator}`);
  }
}

/** Unary minus and plus. */
export function signed(operator: string, value: Value): Value {
  requireDefined(value);
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`bad operand type for unary ${operator}: '${typeName(value)}'`);
  const result = operator === '-' ? -number : number;
  if (value instanceof PyFloat) return new PyFloat(result);
  return result === 0 ? 0 : result;
}

/** Python's slicing of lists and texts, by characters and with any step. */
export function sliced(value: Value, bounds: { start: Value; stop: Value; step: Value }): Value {
  requireDefined(value);
  const items = typeof value === 'string' ? Array.from(value) : value;
  if (!Array.isArray(items)) throw new TemplateError(`'${typeName(value)}' object is not subscriptable by a slice`);
  const step = bound(bounds.step) ?? 1;
  if (step === 0) throw new TemplateError('slice step cannot be zero');
  const length = items.length;
  const lowest = step > 0 ? 0 : -1;
  const highest = step > 0 ? length : length - 1;
  const clamp = (at: number | undefined, otherwise: number) =>
    at === undefined ? otherwise : Math.min(Math.max(at < 0 ? at + length : at, lowest), highest);
  const start = clamp(bound(bounds.start), step > 0 ? lowest : highest);
  const stop = clamp(bound(bounds.stop), step > 0 ? highest : lowest);
  const picked: Value[] = [];
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) picked.push(orElse(items[at], null));
  if (typeof value === 'string') return picked.map(textOf).join('');
  return value instanceof Tuple ? tuple(picked) : picked;
}

function bound(value: Value): number | undefined {
  if (value === null) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  throw new TemplateError('slice indices must be integers or None');
}
