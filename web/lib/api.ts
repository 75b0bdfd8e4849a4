import { errorOf, isAbort, RequestError } from './request-error.ts';

/** How a request differs from a plain GET. */
export interface SendOptions {
  /** Sent as JSON, with POST. */
  readonly body?: unknown;
  readonly method?: 'GET' | 'POST';
  readonly signal?: AbortSignal;
}

/** Client of the server that serves the web UI. */
export interface Api {
  /** Whether requests send an API key. */
  readonly hasKey: boolean;
  /** A successful response; throws a RequestError otherwise. The path is relative to the base URI of the document. */
  readonly send: (path: string, options?: SendOptions) => Promise<Response>;
  readonly json: <T>(path: string, options?: SendOptions) => Promise<T>;
}

interface ApiOptions {
  readonly key: string | undefined;
  /** Called when the key is missing or wrong. `isOrder`: the user caused the request, it was no background poll. */
  readonly onRefusedKey: (error: RequestError, isOrder: boolean) => void;
  readonly fetch?: typeof fetch;
}

/** Creates a client that sends this key. */
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
    const requestError = await errorOf(response);
    if (requestError.code === 'invalid_api_key') onRefusedKey(requestError, method === 'POST');
    throw requestError;
  };
  return {
    hasKey: key !== undefined,
    send,
    json: async <T>(path: string, options?: SendOptions) => (await (await send(path, options)).json()) as T,
  };
}

/** The error for requests without any response. */
export function unreachable(): RequestError {
  return new RequestError('The server is unreachable. It may have stopped, or the network connection was lost.', {
    status: 0,
  });
}
