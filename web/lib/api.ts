import { Fault, faultOf, isAbort } from './fault.ts';

/** How a request differs from a plain GET. */
export interface SendOptions {
  /** Sent as JSON, with POST. */
  readonly body?: unknown;
  readonly method?: 'GET' | 'POST';
  readonly signal?: AbortSignal;
}

/** The server that the page came from. */
export interface Api {
  /** Whether requests bring a key. */
  readonly hasKey: boolean;
  /** An answer that is no failure; else it throws a Fault. The path is relative to the page. */
  readonly send: (path: string, options?: SendOptions) => Promise<Response>;
  readonly json: <T>(path: string, options?: SendOptions) => Promise<T>;
}

interface ApiOptions {
  readonly key: string | undefined;
  /** Hears when the key is missing or wrong, and whether somebody gave an order; else the page only looked something up. */
  readonly onRefusedKey: (fault: Fault, isOrder: boolean) => void;
  readonly fetch?: typeof fetch;
}

/** The server, asked with this key. */
export function openApi({ key, onRefusedKey, fetch = globalThis.fetch.bind(globalThis) }: ApiOptions): Api {
  const send: Api['send'] = async (path, { body, method = body === undefined ? 'GET' : 'POST', signal } = {}) => {
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const response = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      throw isAbort(error) ? error : unreachable();
    });
    if (response.ok) return response;
    const fault = await faultOf(response);
    if (fault.code === 'invalid_api_key') onRefusedKey(fault, method === 'POST');
    throw fault;
  };
  return {
    hasKey: key !== undefined,
    send,
    json: async <T>(path: string, options?: SendOptions) => (await (await send(path, options)).json()) as T,
  };
}

/** What is said where nobody answers. */
export function unreachable(): Fault {
  return new Fault('The server does not answer. It may have stopped, or the network is gone.', { status: 0 });
}
