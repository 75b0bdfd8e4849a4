import { createInterface } from 'node:readline';

// A server of the Model Context Protocol on standard input and output, with one tool.

const tool = {
  name: 'shell_name',
  description: 'The name of a shell by its number',
  inputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
};

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'shells', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { number } }) => ({ content: [{ type: 'text', text: `Shell ${number} is a whelk.` }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = results[method]?.(params ?? {});
  const outcome = result ? { result } : { error: { code: -32601, message: `Method not found: ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}
