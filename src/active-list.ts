/** The position of a member in its list. */
export interface ListEntry<Member> {
  readonly member: Member;
}

interface Node<Member> {
  /** Undefined once it was removed: a node in the old generation must not hold a young object. */
  member: Member | undefined;
  before: Node<Member>;
  behind: Node<Member>;
}

/**
 * What runs at the moment, in the order in which it started. A Set would hold on to it: V8 links each table that a Set
 * has outgrown to the next one. Once a table is in the old generation, minor collections keep everything that its
 * successors ever held. Then every request becomes old, with everything that it points to.
 */
export class ActiveList<Member> implements Iterable<Member> {
  readonly #ends: Node<Member>;
  #size = 0;

  constructor() {
    const ends = { member: undefined } as Node<Member>;
    ends.before = ends;
    ends.behind = ends;
    this.#ends = ends;
  }

  get size(): number {
    return this.#size;
  }

  add(member: Member): ListEntry<Member> {
    const ends = this.#ends;
    const node: Node<Member> = { member, before: ends.before, behind: ends };
    ends.before.behind = node;
    ends.before = node;
    this.#size++;
    return node as ListEntry<Member>;
  }

  /** Whether it was still there. */
  remove(entry: ListEntry<Member>): boolean {
    const node = entry as Node<Member>;
    if (node.member === undefined) return false;
    const { before, behind } = node;
    before.behind = behind;
    behind.before = before;
    node.member = undefined;
    node.before = node;
    node.behind = node;
    this.#size--;
    return true;
  }

  /** The current members; they may be removed during the iteration. */
  [Symbol.iterator](): Iterator<Member> {
    const members: Member[] = [];
    for (let node = this.#ends.behind; node !== this.#ends; node = node.behind) members.push(node.member as Member);
    return members.values();
  }
}
