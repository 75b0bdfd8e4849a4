/** The label value for names beyond the limit and for models that are not served. */
const otherName = 'other';

/** The maximum number of model, server and key names that become label values. */
const mostModels = 500;
const mostServers = 200;
const mostKeys = 200;

/** Label values. Their number is bounded, whatever clients send. */
export class Labels {
  readonly model: (name: string) => string;
  readonly server = bounded(mostServers);
  readonly key = bounded(mostKeys);

  /** `servedAs` returns the model of a name or alias; undefined for unknown names. */
  constructor(servedAs: (name: string) => string | undefined) {
    const served = bounded(mostModels);
    this.model = (name) => {
      const model = servedAs(name);
      return model === undefined ? otherName : served(model);
    };
  }
}

/** Returns the first names unchanged up to the limit, then `other`. */
function bounded(most: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= most) return otherName;
    known.add(name);
    return name;
  };
}
