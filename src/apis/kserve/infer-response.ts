import { elementCount, elementsToJson } from '../../kserve/json-tensors.ts';
import { binaryOf, bytesOf } from '../../kserve/json-value.ts';
import { quoteJson, writeJson } from '../../kserve/json-write.ts';
import type { InferResponse, OutputDescription, ParameterValue } from '../../kserve/server.ts';
import type { ParsedInfer } from './infer-request.ts';

/** An `infer` response: the JSON part, and the bytes of binary outputs after it. */
export interface EncodedResponse {
  readonly json: Buffer;
  readonly blobs: readonly Buffer[];
}

/** Encodes a response, each output in the requested encoding. */
export function encodeResponse(response: InferResponse, encodingOf: ParsedInfer['encodingOf']): EncodedResponse {
  const blobs: Buffer[] = [];
  const outputs = response.outputs.map((output) => {
    const head = `"name":${quoteJson(binaryOf(output.name))},"datatype":"${output.datatype}","shape":[${output.shape.join(',')}]`;
    const data = response.raw(output.name) ?? Buffer.alloc(0);
    switch (encodingOf(output.name)) {
      case 'shared-memory':
        return `{${head}}`;
      case 'binary':
        if (data.length > 0) blobs.push(data);
        return `{${head},"parameters":{"binary_data_size":${data.length}}}`;
      case 'json':
        return `{${head},"data":[${elementsOf(output, data).join(',')}]}`;
    }
  });
  const id = response.id === '' ? '' : `"id":${quoteJson(binaryOf(response.id))},`;
  const model = `"model_name":${quoteJson(binaryOf(response.model))},"model_version":${quoteJson(response.version)}`;
  const parameters = ownParameters(response);
  const written = parameters.length === 0 ? '' : `,"parameters":${writeJson(Object.fromEntries(parameters))}`;
  return { json: bytesOf(`{${id}${model}${written},"outputs":[${outputs.join(',')}]}`), blobs };
}

/** The elements of an output, each as JSON. */
export function elementsOf({ name, datatype, shape }: OutputDescription, data: Buffer): string[] {
  return elementsToJson(name, datatype, data, elementCount(shape));
}

/** The parameters that the backend set, with names and texts as binary strings. HTTP leaves out the final flag. */
export function ownParameters({ parameters }: InferResponse): [string, ParameterValue][] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    name === 'triton_final_response' ? [] : [[binaryOf(name), typeof value === 'string' ? binaryOf(value) : value]],
  );
}
