/** What stands for all names beyond the bound, and for models that are not served. */
const otherName = 'other';

/** The most names of models, servers and keys that become labels. */
const mostModels = 500;
const mostServers = 200;
const mostKeys = 200;

/** The values of labels, whose number is bounded whatever clients send. */
export class Labels {
  readonly model: (name: string) => string;
  readonly server = bounded(mostServers);
  readonly key = bounded(mostKeys);

  /** `servedAs` gives the model that a name stands for; undefined where no model has it. */
  constructor(servedAs: (name: string) => string | undefined) {
    const served = bounded(mostModels);
    this.model = (name) => {
      const model = servedAs(name);
      return model === undefined ? otherName : served(model);
    };
  }
}

/** Passes the first so many names on, and `other` for the rest. */
function bounded(most: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= most) return otherName;
    known.add(name);
    return name;
  };
}
