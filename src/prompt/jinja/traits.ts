import type { Node } from './syntax.ts';

/** What a template's own text says about the messages that it expects. */
export interface TemplateTraits {
  /** Every name that it reads, attributes included. */
  readonly names: ReadonlySet<string>;
  /** Its string constants and plain text, joined. */
  readonly literals: string;
  /** It walks over the parts of a message's content, so parts are given as parts; else they are joined to one text. */
  readonly takesParts: boolean;
  /** It tests whether parts are images, and writes their placeholders. */
  readonly takesImages: boolean;
  /** It takes images and never asks whether content is a text, so a text is given as a part too. */
  readonly wantsParts: boolean;
  /** It joins tool call arguments to text, so they are given as the JSON text that OpenAI has, not as an object. */
  readonly argumentsAsText: boolean;
  /** It asks whether a message's content is none, so a missing one is given as none, not as the empty text. */
  readonly knowsNoContent: boolean;
}

/** Tests that tell a text from a list. */
const textTests: ReadonlySet<string> = new Set(['string', 'iterable', 'mapping', 'sequence']);

/** Reads the traits off a parsed template. */
export function traitsOf(program: Node): TemplateTraits {
  const names = new Set<string>();
  const literals: string[] = [];
  const contentNames = new Set<string>();
  let takesParts = false;
  let testsContent = false;
  let joinsArguments = false;
  let testsArguments = false;
  let knowsNoContent = false;
  const isContent = (node: Node): boolean => {
    const plain = unwrapped(node);
    return memberName(plain) === 'content' || (plain.type === 'Identifier' && contentNames.has(plain.value));
  };
  for (const node of nodesOf(program)) {
    if (node.type === 'Identifier') names.add(node.value);
    if (node.type === 'StringLiteral') literals.push(node.value);
    if (node.type === 'Macro') collectContentNames(node.args, contentNames);
    if (node.type === 'Set' && node.value && isContent(node.value)) collectContentNames([node.assignee], contentNames);
    if (node.type === 'For' && isContent(node.iterable)) takesParts = true;
    if (node.type === 'BinaryExpression' && node.operator.value === '+') {
      joinsArguments ||= [node.left, node.right].some((side) => memberName(side) === 'arguments');
    }
    if (node.type === 'TestExpression') {
      const operand = memberName(node.operand) ?? (node.operand.type === 'Identifier' ? node.operand.value : undefined);
      if (operand === 'content' && node.test.value === 'none') knowsNoContent = true;
      if (isContent(node.operand) && textTests.has(node.test.value)) testsContent = true;
      if (operand === 'arguments' && node.test.value !== 'defined') testsArguments = true;
    }
    const member = memberName(node);
    if (member !== undefined) names.add(member);
  }
  const takesImages = takesParts && literals.some((literal) => literal === 'image' || literal === 'image_url');
  return {
    names,
    literals: literals.join('\0'),
    takesParts,
    takesImages,
    wantsParts: takesImages && !testsContent,
    argumentsAsText: joinsArguments && !testsArguments,
    knowsNoContent,
  };
}

// Content is recognized by its name too: Mistral's templates call content `tool_calls` in one branch.
function collectContentNames(targets: Node[], found: Set<string>): void {
  for (const target of targets) {
    const name = target.type === 'Identifier' ? target.value : undefined;
    if (name?.includes('content')) found.add(name);
  }
}

/** The name in `x.name` or `x['name']`. */
function memberName(node: Node): string | undefined {
  if (node.type !== 'MemberExpression') return undefined;
  const { property } = node;
  return property.type === 'Identifier' || property.type === 'StringLiteral' ? property.value : undefined;
}

function unwrapped(node: Node): Node {
  if (node.type === 'FilterExpression') return unwrapped(node.operand);
  if (node.type === 'SelectExpression') return unwrapped(node.lhs);
  if (node.type === 'MemberExpression' && node.property.type === 'SliceExpression') return unwrapped(node.object);
  return node;
}

/** Every node of a tree, parents first. */
function* nodesOf(root: unknown): Generator<Node> {
  if (Array.isArray(root)) {
    for (const child of root) yield* nodesOf(child);
  } else if (root instanceof Map) {
    for (const [key, value] of root) yield* nodesOf([key, value]);
  } else if (typeof root === 'object' && root !== null && 'type' in root) {
    yield root as Node;
    for (const child of Object.values(root)) if (typeof child === 'object') yield* nodesOf(child);
  }
}
