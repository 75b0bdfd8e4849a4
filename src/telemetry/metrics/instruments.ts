/** How the values of several processes are merged; `omit`: they are left out. */
export type Aggregator = 'sum' | 'average' | 'max' | 'min' | 'first' | 'omit';

/** One value with its labels, in prom-client's JSON format. */
export interface Sample {
  readonly metricName?: string | undefined;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric in prom-client's JSON format. */
export interface MetricJson {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: Aggregator;
  readonly values: readonly Sample[];
}

/** The name, help text and label names of a metric. */
interface Definition<LabelNames extends readonly string[]> {
  readonly name: string;
  readonly help: string;
  readonly labels: LabelNames;
}

type Tree<Cell> = Map<string, Tree<Cell> | Cell>;

/**
 * The values of one metric by labels. prom-client sorts and joins the labels at every call. Here each label is a map
 * lookup, and frequent callers hold on to their cell.
 */
abstract class Family<Cell, const LabelNames extends readonly string[]> {
  readonly name: string;
  readonly help: string;
  readonly labels: LabelNames;
  protected abstract readonly type: string;
  readonly #cells: { readonly labels: Record<string, string>; readonly cell: Cell }[] = [];
  /** One map per label; the map of the last label contains the cells. */
  readonly #tree: Tree<Cell> = new Map();

  constructor({ name, help, labels }: Definition<LabelNames>) {
    this.name = name;
    this.help = help;
    this.labels = labels;
  }

  /** The cell for label values, in the order of the label names. */
  at(...values: { readonly [Name in keyof LabelNames]: string }): Cell {
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
    this.#cells.push({ labels: Object.fromEntries(this.labels.map((name, at) => [name, values[at] ?? ''])), cell });
    return cell;
  }

  json(): MetricJson {
    const { name, help, type } = this;
    const values = this.#cells.flatMap(({ labels, cell }) => this.samplesOf(cell, labels));
    return { name, help, type, aggregator: 'sum', values };
  }

  protected abstract newCell(): Cell;
  protected abstract samplesOf(cell: Cell, labels: Record<string, string>): readonly Sample[];
}

/** A counter or gauge value. */
class NumberCell {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }
}

/** A gauge. */
export class Gauge<const LabelNames extends readonly string[]> extends Family<NumberCell, LabelNames> {
  protected readonly type: string = 'gauge';

  protected newCell(): NumberCell {
    return new NumberCell();
  }

  protected samplesOf({ value }: NumberCell, labels: Record<string, string>): readonly Sample[] {
    return [{ labels, value }];
  }
}

/** A counter. */
export class Counter<const LabelNames extends readonly string[]> extends Gauge<LabelNames> {
  protected override readonly type = 'counter';
}

/** The buckets of a histogram. */
export class HistogramCell {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length);
  }

  /** Counts a value, optionally several times. */
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

  /** The cumulative counts per bound. */
  below(): readonly (readonly [string, number])[] {
    let sum = 0;
    const rows = this.#bounds.map((bound, at) => {
      sum += this.#counts[at] as number;
      return [String(bound), sum] as const;
    });
    return [...rows, ['+Inf', this.count]];
  }
}

/** A histogram. */
export class Histogram<const LabelNames extends readonly string[]> extends Family<HistogramCell, LabelNames> {
  readonly #bounds: readonly number[];

  protected readonly type = 'histogram';

  constructor({ bounds, ...definition }: Definition<LabelNames> & { readonly bounds: readonly number[] }) {
    super(definition);
    this.#bounds = bounds;
  }

  protected newCell(): HistogramCell {
    return new HistogramCell(this.#bounds);
  }

  protected samplesOf(cell: HistogramCell, labels: Record<string, string>): readonly Sample[] {
    const { name } = this;
    return [
      ...cell.below().map(([le, value]) => ({ metricName: `${name}_bucket`, labels: { ...labels, le }, value })),
      { metricName: `${name}_sum`, labels, value: cell.sum },
      { metricName: `${name}_count`, labels, value: cell.count },
    ];
  }
}

/** A metric whose values are computed when it is read. */
export class ComputedMetric {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly #type: 'counter' | 'gauge';
  readonly #aggregator: Aggregator;

  constructor({
    name,
    help,
    labels,
    type = 'gauge',
    aggregator = type === 'counter' ? 'sum' : 'max',
  }: Definition<readonly string[]> & { readonly type?: 'counter' | 'gauge'; readonly aggregator?: Aggregator }) {
    this.name = name;
    this.help = help;
    this.labels = labels;
    this.#type = type;
    this.#aggregator = aggregator;
  }

  json(values: readonly Sample[]): MetricJson {
    return { name: this.name, help: this.help, type: this.#type, aggregator: this.#aggregator, values };
  }
}
