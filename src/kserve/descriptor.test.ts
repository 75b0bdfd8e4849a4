import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { expect, it } from 'vitest';
import { descriptor } from './descriptor.ts';

it('is what the files of proto/ say; `npm run descriptor` writes it anew', () => {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => fileURLToPath(new URL(`../../proto/${target}`, import.meta.url));
  root.loadSync(['grpc_service.proto', 'health.proto'], { keepCase: true });
  expect(JSON.parse(descriptor)).toEqual(JSON.parse(JSON.stringify(root.toJSON())));
});
