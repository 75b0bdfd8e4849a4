import { parse, tokenize } from '@huggingface/jinja';

/** One node of a parsed template. The parser is `@huggingface/jinja`'s; these are the shapes that it makes. */
export type Node = StatementNode | ExpressionNode;

type StatementNode =
  | { type: 'Program'; body: Node[] }
  | { type: 'If'; test: Node; body: Node[]; alternate: Node[] }
  | { type: 'For'; loopvar: Node; iterable: Node; body: Node[]; defaultBlock: Node[] }
  | { type: 'Break' | 'Continue' }
  | { type: 'Set'; assignee: Node; value: Node | null; body: Node[] }
  | { type: 'Macro'; name: IdentifierNode; args: Node[]; body: Node[] }
  | { type: 'Comment'; value: string }
  | { type: 'CallStatement'; call: CallNode; callerArgs: Node[] | null; body: Node[] }
  | { type: 'FilterStatement'; filter: IdentifierNode | CallNode; body: Node[] };

type ExpressionNode =
  | { type: 'MemberExpression'; object: Node; property: Node; computed: boolean }
  | CallNode
  | IdentifierNode
  | { type: 'IntegerLiteral'; value: number }
  | { type: 'FloatLiteral'; value: number }
  | { type: 'StringLiteral'; value: string }
  | { type: 'ArrayLiteral'; value: Node[] }
  | { type: 'TupleLiteral'; value: Node[] }
  | { type: 'ObjectLiteral'; value: Map<Node, Node> }
  | { type: 'BinaryExpression'; operator: { value: string }; left: Node; right: Node }
  | { type: 'FilterExpression'; operand: Node; filter: IdentifierNode | CallNode }
  | { type: 'TestExpression'; operand: Node; negate: boolean; test: IdentifierNode }
  | { type: 'SelectExpression'; lhs: Node; test: Node }
  | { type: 'UnaryExpression'; operator: { value: string }; argument: Node }
  | { type: 'SliceExpression'; start?: Node; stop?: Node; step?: Node }
  | { type: 'KeywordArgumentExpression'; key: IdentifierNode; value: Node }
  | { type: 'SpreadExpression'; argument: Node }
  | { type: 'KeywordSpreadExpression'; argument: Node }
  | { type: 'Ternary'; condition: Node; trueExpr: Node; falseExpr: Node };

const statementTypes: ReadonlySet<string> = new Set<StatementNode['type']>([
  'Program',
  'If',
  'For',
  'Break',
  'Continue',
  'Set',
  'Macro',
  'Comment',
  'CallStatement',
  'FilterStatement',
]);

/** Whether a node has a value; the others are statements. */
export function isExpression(node: Node): node is ExpressionNode {
  return !statementTypes.has(node.type);
}

/** A bare name. */
export interface IdentifierNode {
  type: 'Identifier';
  value: string;
}

/** A call, of a function or of a filter with arguments. */
export interface CallNode {
  type: 'CallExpression';
  callee: Node;
  args: Node[];
}

interface Token {
  value: string;
  type: string;
}

/** Tests with an argument arrive as filters whose name starts with this; see `testsAsFilters`. */
export const testPrefix = '__test__';
/** The same, negated. */
export const negatedTestPrefix = '__not_test__';

const opening = new Map([
  ['OpenParen', 'CloseParen'],
  ['OpenSquareBracket', 'CloseSquareBracket'],
  ['OpenCurlyBracket', 'CloseCurlyBracket'],
]);
const notAnArgument = new Set(['else', 'or', 'and', 'is', 'if', 'not', 'in']);

/** Parses a template with the whitespace rules of transformers (trim_blocks and lstrip_blocks). Throws on a syntax error. */
export function parseTemplate(source: string): Node {
  const normalized = source.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const tokens: Token[] = tokenize(normalized, { lstrip_blocks: true, trim_blocks: true });
  const program: unknown = parse(testsAsFilters(tokens));
  return program as Node;
}

/**
 * `x is divisibleby(3)`, `x is equalto 'a'` and `x is in list` become filters: the parser has only tests without arguments.
 * A test and a filter bind equally in Jinja, so nothing else moves.
 */
function testsAsFilters(tokens: Token[]): Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    const negated = isName(tokens[at + 1], 'not');
    const name = tokens[at + (negated ? 2 : 1)];
    const argumentAt = at + (negated ? 3 : 2);
    if (!isName(token, 'is') || name?.type !== 'Identifier' || !startsArgument(tokens[argumentAt])) {
      result.push(token);
      continue;
    }
    const end = endOfPrimary(tokens, argumentAt);
    const argument = testsAsFilters(tokens.slice(argumentAt, end));
    const inParens = tokens[argumentAt]?.type === 'OpenParen' && closing(tokens, argumentAt) === end - 1;
    const filter = `${negated ? negatedTestPrefix : testPrefix}${name.value}`;
    result.push({ value: '|', type: 'Pipe' }, { value: filter, type: 'Identifier' });
    if (inParens) result.push(...argument);
    else result.push({ value: '(', type: 'OpenParen' }, ...argument, { value: ')', type: 'CloseParen' });
    at = end - 1;
  }
  return result;
}

function isName(token: Token | undefined, name: string): boolean {
  return token?.type === 'Identifier' && token.value === name;
}

function startsArgument(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (token.type === 'Identifier') return !notAnArgument.has(token.value);
  return token.type === 'StringLiteral' || token.type === 'NumericLiteral' || opening.has(token.type);
}

/** The index after a primary expression with its attributes, subscripts and calls. */
function endOfPrimary(tokens: Token[], start: number): number {
  let at = opening.has(tokens[start]?.type ?? '') ? closing(tokens, start) + 1 : start + 1;
  for (;;) {
    const type = tokens[at]?.type;
    if (type === 'Dot') at += 2;
    else if (type === 'OpenSquareBracket' || type === 'OpenParen') at = closing(tokens, at) + 1;
    else return at;
  }
}

function closing(tokens: Token[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const type = tokens[at]?.type ?? '';
    if (opening.has(type)) depth++;
    else if ([...opening.values()].includes(type)) depth--;
    if (depth === 0) return at;
  }
  throw new SyntaxError('A bracket is never closed.');
}
