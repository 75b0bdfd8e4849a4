import { methodPath } from '../../kserve/control-codec.ts';
import { Channel } from '../../servers/remote/channel.ts';

const errorTag = 0x0a;
const connectTimeout = 5_000;
const maxMessageSize = 64 * 1024 * 1024;

/** Direct calls to a Triton server on one connection, as a baseline for a gateway in front of it. */
export class GrpcClient {
  readonly #channel: Channel;

  constructor({ host, port }: { readonly host: string; readonly port: number }) {
    this.#channel = new Channel({ host, port, connectTimeout, maxMessageSize, keepaliveInterval: 0, metadata: {} });
  }

  /** Sends a ModelInferRequest and counts the responses without decoding them. Resolves to the error. */
  infer(message: Uint8Array, onResponse: () => void): Promise<string | undefined> {
    return new Promise((resolve) => {
      let errorText: string | undefined;
      const call = {
        path: methodPath('ModelStreamInfer'),
        message,
        onMessage: (bytes: Buffer, from: number) => {
          if (bytes[from] === errorTag) errorText ??= `error response: ${bytes.toString('latin1', from, from + 300)}`;
          onResponse();
        },
        onEnd: (error: Error | undefined) => resolve(error?.message ?? errorText),
      };
      const started = this.#channel.start(call);
      if (started instanceof Promise) started.catch((error: Error) => resolve(error.message));
    });
  }

  close(): Promise<void> {
    return this.#channel.close();
  }
}
