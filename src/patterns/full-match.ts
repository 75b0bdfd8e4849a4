import { type Pattern, PatternError } from './pattern.ts';

type Edge = 'start' | 'end';

/**
 * Turns a search pattern into one without anchors that matches whole texts. `beside` is what may be before and after the
 * match of an unanchored pattern; undefined: the pattern is for whole texts already.
 */
export function fullMatch(pattern: Pattern, beside?: Pattern): Pattern {
  const whole = atEdge(atEdge(pattern, 'start', beside), 'end', beside);
  refuseAnchors(whole);
  return whole;
}

function atEdge(pattern: Pattern, edge: Edge, beside: Pattern | undefined): Pattern {
  if (pattern.kind === 'alternatives')
    return { kind: 'alternatives', options: pattern.options.map((option) => atEdge(option, edge, beside)) };
  const items = pattern.kind === 'sequence' ? pattern.items : [pattern];
  const outer = edge === 'start' ? items[0] : items.at(-1);
  const rest = edge === 'start' ? items.slice(1) : items.slice(0, -1);
  if (outer?.kind === 'anchor' && outer.edge === edge) return { kind: 'sequence', items: rest };
  const isGroup = outer?.kind === 'alternatives' || outer?.kind === 'sequence';
  if (isGroup) return joined(edge, atEdge(outer, edge, beside), rest);
  return beside ? joined(edge, beside, items) : pattern;
}

function joined(edge: Edge, outer: Pattern, rest: readonly Pattern[]): Pattern {
  return { kind: 'sequence', items: edge === 'start' ? [outer, ...rest] : [...rest, outer] };
}

function refuseAnchors(pattern: Pattern): void {
  switch (pattern.kind) {
    case 'set':
      return;
    case 'sequence':
      pattern.items.forEach(refuseAnchors);
      return;
    case 'alternatives':
      pattern.options.forEach(refuseAnchors);
      return;
    case 'repeat':
      refuseAnchors(pattern.item);
      return;
    case 'anchor':
      throw new PatternError(
        `the anchor "${pattern.edge === 'start' ? '^' : '$'}" inside a pattern is not supported`,
        pattern.position,
      );
  }
}
