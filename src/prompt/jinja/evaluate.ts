import type { Arguments } from './arguments.ts';
import { attribute, item } from './attributes.ts';
import { applyFilter } from './filters.ts';
import { loopState } from './loop.ts';
import { binary, signed, sliced } from './operators.ts';
import { type Meter, Scope } from './scope.ts';
import {
  type CallNode,
  type IdentifierNode,
  isExpression,
  type Node,
  negatedTestPrefix,
  testPrefix,
} from './syntax.ts';
import { passes } from './tests.ts';
import { textOf } from './text.ts';
import {
  Callable,
  itemsOf,
  Namespace,
  orElse,
  PyFloat,
  requireDefined,
  TemplateError,
  truthy,
  tuple,
  Undefined,
  type Value,
} from './values.ts';

type Flow = 'next' | 'break' | 'continue';
interface Output {
  text: string;
}

/** Runs a parsed template with Python's meaning of every operator, test, filter and method. */
export class Evaluator {
  private readonly meter: Meter;

  constructor(meter: Meter) {
    this.meter = meter;
  }

  /** The text of a whole template. */
  render(program: Node, globals: Scope): string {
    return this.textOfBlock([program], new Scope(globals));
  }

  private textOfBlock(nodes: Node[], scope: Scope): string {
    const out: Output = { text: '' };
    this.block(nodes, scope, out);
    return out.text;
  }

  private block(nodes: Node[], scope: Scope, out: Output): Flow {
    for (const node of nodes) {
      const flow = this.statement(node, scope, out);
      if (flow !== 'next') return flow;
    }
    return 'next';
  }

  private statement(node: Node, scope: Scope, out: Output): Flow {
    this.meter.step();
    if (isExpression(node)) {
      out.text += textOf(this.value(node, scope));
      this.meter.output(out.text.length);
      return 'next';
    }
    switch (node.type) {
      case 'Program':
        return this.block(node.body, scope, out);
      case 'Comment':
        return 'next';
      case 'Break':
        return 'break';
      case 'Continue':
        return 'continue';
      case 'If':
        return this.block(truthy(this.value(node.test, scope)) ? node.body : node.alternate, scope, out);
      case 'For':
        return this.loop(node, scope, out);
      case 'Set':
        this.assign(node, scope);
        return 'next';
      case 'Macro':
        scope.set(node.name.value, this.macro(node.args, node.body, scope));
        return 'next';
      case 'CallStatement':
        out.text += textOf(this.callWithBlock(node, scope));
        return 'next';
      case 'FilterStatement':
        out.text += textOf(this.filtered(this.textOfBlock(node.body, new Scope(scope)), node.filter, scope));
        return 'next';
    }
  }

  private loop(node: Extract<Node, { type: 'For' }>, scope: Scope, out: Output): Flow {
    const select = node.iterable.type === 'SelectExpression' ? node.iterable : undefined;
    let items = itemsOf(this.value(select ? select.lhs : node.iterable, scope));
    if (select) {
      items = items.filter((entry) => {
        this.meter.step();
        const inner = new Scope(scope);
        this.bindTarget(node.loopvar, entry, inner);
        return truthy(this.value(select.test, inner));
      });
    }
    let completed = false;
    const state = loopState(items);
    for (const [index, entry] of items.entries()) {
      this.meter.step();
      const body = new Scope(scope);
      body.set('loop', state(index));
      this.bindTarget(node.loopvar, entry, body);
      const flow = this.block(node.body, body, out);
      if (flow === 'break') break;
      if (flow === 'next') completed = true;
    }
    // Jinja's `else` runs whenever no turn reached its end, not only when there was none.
    return completed ? 'next' : this.block(node.defaultBlock, scope, out);
  }

  private bindTarget(target: Node, value: Value, scope: Scope): void {
    if (target.type === 'Identifier') {
      scope.set(target.value, value);
      return;
    }
    if (target.type !== 'TupleLiteral') throw new TemplateError('This cannot be assigned to.');
    const parts = itemsOf(value);
    if (parts.length !== target.value.length) {
      const problem = parts.length < target.value.length ? 'not enough' : 'too many';
      throw new TemplateError(`${problem} values to unpack (expected ${target.value.length})`);
    }
    target.value.forEach((part, index) => {
      this.bindTarget(part, orElse(parts[index], null), scope);
    });
  }

  private assign(node: Extract<Node, { type: 'Set' }>, scope: Scope): void {
    const value = node.value ? this.value(node.value, scope) : this.blockValue(node, scope);
    const target = assignee(node.assignee);
    if (target.type !== 'MemberExpression') {
      this.bindTarget(target, value, scope);
      return;
    }
    const object = this.value(target.object, scope);
    if (!(object instanceof Namespace)) throw new TemplateError('cannot assign attribute on non-namespace object');
    const name = target.computed ? textOf(this.value(target.property, scope)) : nameOf(target.property);
    object.attributes.set(name, value);
  }

  /** `{% set x | upper %}…{% endset %}`: the filters are on the left. */
  private blockValue(node: Extract<Node, { type: 'Set' }>, scope: Scope): Value {
    const filters: (IdentifierNode | CallNode)[] = [];
    for (let left = node.assignee; left.type === 'FilterExpression'; left = left.operand) filters.unshift(left.filter);
    const text: Value = this.textOfBlock(node.body, new Scope(scope));
    return filters.reduce<Value>((value, filter) => this.filtered(value, filter, scope), text);
  }

  private macro(parameters: Node[], body: Node[], scope: Scope): Callable {
    return new Callable((args, named) => {
      const inner = new Scope(scope);
      const left = new Map(named);
      parameters.forEach((parameter, index) => {
        const name = parameter.type === 'KeywordArgumentExpression' ? parameter.key.value : nameOf(parameter);
        let value = args[index] === undefined ? left.get(name) : args[index];
        left.delete(name);
        if (value === undefined && parameter.type === 'KeywordArgumentExpression')
          value = this.value(parameter.value, inner);
        inner.set(name, orElse(value, new Undefined(`parameter '${name}' was not provided`)));
      });
      const caller = left.get('caller');
      left.delete('caller');
      if (caller !== undefined) inner.set('caller', caller);
      inner.set('varargs', tuple(args.slice(parameters.length)));
      inner.set('kwargs', new Map(left));
      return this.textOfBlock(body, inner);
    });
  }

  private callWithBlock(node: Extract<Node, { type: 'CallStatement' }>, scope: Scope): Value {
    const { args, named } = this.arguments(node.call.args, scope);
    named.set('caller', this.macro(node.callerArgs ?? [], node.body, scope));
    return this.called(this.value(node.call.callee, scope), { args, named });
  }

  private called(callee: Value, { args, named }: Arguments): Value {
    requireDefined(callee);
    if (!(callee instanceof Callable)) throw new TemplateError('This is not a function.');
    this.meter.clock();
    return callee.call(args, named);
  }

  private arguments(nodes: Node[], scope: Scope): { args: Value[]; named: Map<string, Value> } {
    const args: Value[] = [];
    const named = new Map<string, Value>();
    for (const node of nodes) {
      if (node.type === 'SpreadExpression') args.push(...itemsOf(this.value(node.argument, scope)));
      else if (node.type === 'KeywordArgumentExpression') named.set(node.key.value, this.value(node.value, scope));
      else if (node.type === 'KeywordSpreadExpression') {
        const extra = this.value(node.argument, scope);
        if (!(extra instanceof Map)) throw new TemplateError('The argument after ** must be a mapping.');
        for (const [key, value] of extra) named.set(textOf(key), value);
      } else args.push(this.value(node, scope));
    }
    return { args, named };
  }

  private filtered(value: Value, filter: IdentifierNode | CallNode, scope: Scope): Value {
    const called = filter.type === 'CallExpression';
    const name = nameOf(called ? filter.callee : filter);
    const call = called ? this.arguments(filter.args, scope) : { args: [], named: new Map<string, Value>() };
    if (name.startsWith(testPrefix)) return passes(name.slice(testPrefix.length), value, call.args);
    if (name.startsWith(negatedTestPrefix)) return !passes(name.slice(negatedTestPrefix.length), value, call.args);
    this.meter.clock();
    return applyFilter(name, value, call);
  }

  private value(node: Node, scope: Scope): Value {
    this.meter.step();
    if (!isExpression(node)) throw new TemplateError(`${node.type} is not allowed in an expression.`);
    switch (node.type) {
      case 'StringLiteral':
      case 'IntegerLiteral':
        return node.value;
      case 'FloatLiteral':
        return new PyFloat(node.value);
      case 'Identifier':
        return scope.get(node.value);
      case 'ArrayLiteral':
        return node.value.map((entry) => this.value(entry, scope));
      case 'TupleLiteral':
        return tuple(node.value.map((entry) => this.value(entry, scope)));
      case 'ObjectLiteral':
        return new Map([...node.value].map(([key, entry]) => [this.value(key, scope), this.value(entry, scope)]));
      case 'MemberExpression':
        return this.member(node, scope);
      case 'CallExpression':
        return this.called(this.value(node.callee, scope), this.arguments(node.args, scope));
      case 'FilterExpression':
        return this.filtered(this.value(node.operand, scope), node.filter, scope);
      case 'TestExpression':
        return passes(node.test.value, this.value(node.operand, scope), []) !== node.negate;
      case 'UnaryExpression': {
        const value = this.value(node.argument, scope);
        return node.operator.value === 'not' ? !truthy(value) : signed(node.operator.value, value);
      }
      case 'BinaryExpression':
        return this.binary(node, scope);
      case 'Ternary':
        return this.value(truthy(this.value(node.condition, scope)) ? node.trueExpr : node.falseExpr, scope);
      case 'SelectExpression':
        if (truthy(this.value(node.test, scope))) return this.value(node.lhs, scope);
        return new Undefined('the inline if-expression evaluated to false and no else section was defined.');
      case 'SliceExpression':
      case 'KeywordArgumentExpression':
      case 'SpreadExpression':
      case 'KeywordSpreadExpression':
        throw new TemplateError(`${node.type} is not allowed here.`);
    }
  }

  private member(node: Extract<Node, { type: 'MemberExpression' }>, scope: Scope): Value {
    const object = this.value(node.object, scope);
    const { property } = node;
    if (property.type === 'SliceExpression') {
      const part = (bound: Node | undefined) => (bound === undefined ? null : this.value(bound, scope));
      return sliced(object, { start: part(property.start), stop: part(property.stop), step: part(property.step) });
    }
    if (node.computed) return item(object, this.value(property, scope));
    return property.type === 'IntegerLiteral' ? item(object, property.value) : attribute(object, nameOf(property));
  }

  private binary(node: Extract<Node, { type: 'BinaryExpression' }>, scope: Scope): Value {
    const left = this.value(node.left, scope);
    if (node.operator.value === 'and') return truthy(left) ? this.value(node.right, scope) : left;
    if (node.operator.value === 'or') return truthy(left) ? left : this.value(node.right, scope);
    return binary(node.operator.value, left, this.value(node.right, scope));
  }
}

function nameOf(node: Node): string {
  if (node.type === 'Identifier') return node.value;
  throw new TemplateError('A name was expected.');
}

function assignee(node: Node): Node {
  return node.type === 'FilterExpression' ? assignee(node.operand) : node;
}
