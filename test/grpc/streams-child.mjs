// A gRPC server of its own process, on node:http2. The text of a request says how it is answered:
// {"sizes": [...], "end": "ok" | "error" | "status" | "reset" | "never"} in its first line; each response is the beginning of that text, as
// long as its size. The parent tells it "goaway" or asks for its "state".
import { createServer } from 'node:http2';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';

const root = new protobuf.Root();
root.resolvePath = (_origin, target) => fileURLToPath(new URL(`../../proto/${target}`, import.meta.url));
root.loadSync('grpc_service.proto', { keepCase: true });
const Request = root.lookupType('inference.ModelInferRequest');
const Response = root.lookupType('inference.ModelStreamInferResponse');

const server = createServer({ settings: { maxConcurrentStreams: 100, initialWindowSize: 16_384 } });
let connections = 0;
let current;
let calls = 0;
let open = 0;

server.on('connection', (socket) => {
  connections++;
  socket.on('close', () => connections--);
});

server.on('session', (session) => {
  current = session;
  session.on('error', () => undefined);
});

server.on('stream', (stream) => {
  calls++;
  open++;
  const chunks = [];
  stream.on('error', () => undefined);
  stream.on('close', () => open--);
  stream.on('data', (chunk) => chunks.push(chunk));
  stream.on('end', () => respond(stream, Buffer.concat(chunks)));
});

function respond(stream, body) {
  // A stream that is cut short ends too.
  if (body.length < 5 || body.length < 5 + body.readUInt32BE(1)) return;
  const { id, raw_input_contents: contents } = Request.decode(body.subarray(5));
  const text = Buffer.from(contents[0]).subarray(4);
  const { sizes, end } = JSON.parse(text.subarray(0, text.indexOf('\n')).toString());
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () =>
    stream.sendTrailers(
      end === 'status' ? { 'grpc-status': '8', 'grpc-message': 'no %22room%22' } : { 'grpc-status': '0' },
    ),
  );
  const messages = sizes.map((size) => message({ infer_response: inferResponse(id, text.subarray(0, size)) }));
  if (end === 'error') messages.push(message({ error_message: 'out of paper' }));
  sendNext(stream, messages, end);
}

/** Some of the messages in one piece, and the next once these are gone: the client's window holds them up. */
function sendNext(stream, messages, end) {
  if (stream.destroyed) return;
  const piece = Buffer.concat(messages.splice(0, 8));
  if (messages.length > 0) stream.write(piece, () => sendNext(stream, messages, end));
  else if (end === 'reset') stream.write(piece, () => stream.close(2));
  else if (end === 'never') stream.write(piece);
  else stream.end(piece);
}

function inferResponse(id, text) {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const outputs = [{ name: 'text_output', datatype: 'BYTES', shape: [1] }];
  return {
    model_name: 'vllm-toy',
    model_version: '1',
    id,
    outputs,
    raw_output_contents: [Buffer.concat([length, text])],
  };
}

function message(fields) {
  const bytes = Response.encode(fields).finish();
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}

process.on('message', (option) => {
  // With the number of the last call that it has seen, and the end of the connection once those are answered.
  if (option === 'goaway') current.close();
  else process.send({ calls, open, connections, window: current.state.remoteWindowSize });
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
