import type { InferResponse } from '../kserve/server.ts';
import { readTexts } from '../kserve/tensors.ts';
import type { ClassifyContract, RowsContract } from './row-contracts.ts';

/** More than any model has; the server sends as many as there are. */
const mostClasses = 1_000_000;

/**
 * The same contract, which requests the names of the classes instead of their figures, by Triton's classification
 * extension: Triton sends the contents of a label file in no other way.
 */
export function labelsContract(contract: ClassifyContract): RowsContract {
  return {
    ...contract,
    encode: (request) => ({ ...contract.encode(request), classes: contract.width ?? mostClasses }),
    decode: (response) => [
      { figures: new Float32Array(), width: 0, labels: readLabels(response, contract.outputs[0] ?? '') },
    ],
  };
}

/** Reads `value:index:label`, best class first; a class without a name leaves the last part out. */
function readLabels(response: InferResponse, output: string): readonly string[] {
  const data = response.raw(output);
  const isText = response.outputs.some(({ name, datatype }) => name === output && datatype === 'BYTES');
  const labels: string[] = [];
  for (const text of data && isText ? readTexts(data) : []) {
    const [, index, label] = /^[^:]*:(\d+):(.*)$/s.exec(text) ?? [];
    if (index !== undefined && label !== undefined) labels[Number(index)] = label;
  }
  return labels;
}
