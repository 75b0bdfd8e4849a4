/** How the values of several processes become one. */
type Aggregator = 'sum' | 'max' | 'min' | 'first';

/** One value with its labels, as prom-client writes it in JSON. */
export interface Sample {
  readonly metricName?: string | undefined;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric as prom-client writes it in JSON. */
export interface MetricJson {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  readonly values: readonly Sample[];
}

interface FamilyOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

type Tree<Cell> = Map<string, Tree<Cell> | Cell>;

/**
 * Values of one name, apart by labels. prom-client's own sort and join the labels at every call; here that is a look
 * into a map for each, and what is counted often keeps its cell.
 */
abstract class Family<Cell> {
  readonly name: string;
  protected readonly help: string;
  readonly #labels: readonly string[];
  readonly #cells: { readonly labels: Record<string, string>; readonly cell: Cell }[] = [];
  /** A map for each label but the last, whose map holds the cells. */
  readonly #tree: Tree<Cell> = new Map();

  constructor({ name, help, labels = [] }: FamilyOptions) {
    this.name = name;
    this.help = help;
    this.#labels = labels;
  }

  /** The cell of these values of the labels, in the order of their names. */
  at(...values: readonly string[]): Cell {
    const last = values.length - 1;
    let branch = this.#tree;
    for (let at = 0; at < last; at++) {
      const value = values[at] as string;
      let next = branch.get(value) as Tree<Cell> | undefined;
      if (!next) branch.set(value, (next = new Map()));
      branch = next;
    }
    const known = branch.get(values[last] as string) as Cell | undefined;
    if (known) return known;
    const cell = this.newCell();
    branch.set(values[last] as string, cell);
    this.#cells.push({ labels: Object.fromEntries(this.#labels.map((name, at) => [name, values[at] ?? ''])), cell });
    return cell;
  }

  abstract json(): MetricJson;

  protected abstract newCell(): Cell;

  protected samples(of: (cell: Cell, labels: Record<string, string>) => readonly Sample[]): Sample[] {
    return this.#cells.flatMap(({ labels, cell }) => of(cell, labels));
  }
}

/** A value that is counted, or that goes up and down. */
class NumberCell {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }
}

/** What only grows. */
export class Counter extends Family<NumberCell> {
  json(): MetricJson {
    const values = this.samples(({ value }, labels) => [{ labels, value }]);
    return { name: this.name, help: this.help, type: 'counter', aggregator: 'sum', values };
  }

  protected newCell(): NumberCell {
    return new NumberCell();
  }
}

/** What goes up and down. */
export class Gauge extends Family<NumberCell> {
  json(): MetricJson {
    const values = this.samples(({ value }, labels) => [{ labels, value }]);
    return { name: this.name, help: this.help, type: 'gauge', aggregator: 'sum', values };
  }

  protected newCell(): NumberCell {
    return new NumberCell();
  }
}

/** How often values lay below each bound. */
export class HistogramCell {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length);
  }

  /** Counts a value, or so many that are alike. */
  observe(value: number, times = 1): void {
    this.sum += value * times;
    this.count += times;
    const bounds = this.#bounds;
    for (let at = 0; at < bounds.length; at++)
      if (value <= (bounds[at] as number)) {
        this.#counts[at] = (this.#counts[at] as number) + times;
        return;
      }
  }

  /** How many values were at most as large as each bound. */
  below(): readonly (readonly [string, number])[] {
    let sum = 0;
    const rows = this.#bounds.map((bound, at) => {
      sum += this.#counts[at] as number;
      return [String(bound), sum] as const;
    });
    return [...rows, ['+Inf', this.count]];
  }
}

/** How values are spread. */
export class Histogram extends Family<HistogramCell> {
  readonly #bounds: readonly number[];

  constructor({ bounds, ...options }: FamilyOptions & { readonly bounds: readonly number[] }) {
    super(options);
    this.#bounds = bounds;
  }

  json(): MetricJson {
    const { name, help } = this;
    const values = this.samples((cell, labels) => [
      ...cell.below().map(([le, value]) => ({ metricName: `${name}_bucket`, labels: { ...labels, le }, value })),
      { metricName: `${name}_sum`, labels, value: cell.sum },
      { metricName: `${name}_count`, labels, value: cell.count },
    ]);
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }

  protected newCell(): HistogramCell {
    return new HistogramCell(this.#bounds);
  }
}

/** A gauge whose values are looked up when it is read. */
export function readGauge(
  { name, help, aggregator = 'max' }: FamilyOptions & { readonly aggregator?: Aggregator },
  values: readonly Sample[],
): MetricJson {
  return { name, help, type: 'gauge', aggregator, values };
}

/** A count that is looked up when it is read. */
export function readCounter({ name, help, value }: FamilyOptions & { readonly value: number }): MetricJson {
  return { name, help, type: 'counter', aggregator: 'sum', values: [{ labels: {}, value }] };
}
