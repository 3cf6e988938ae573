import { proxyVariable } from '../text/proxy-variable.ts';

type Fetch = typeof globalThis.fetch;

/** For TLS connections, in PEM: the authorities to trust instead of the default ones, and who the client is. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * The global `fetch`, which uses no proxy; undici's `fetch` if the environment names a proxy, or with options for TLS.
 */
export function defaultFetch(baseUrl: string, tls?: TlsOptions): Fetch {
  const variable = proxyVariable(new URL(baseUrl), process.env);
  if (variable === null && tls === undefined) return (input, init) => fetch(input, init);
  let overUndici: Promise<Fetch> | null = null;
  return async (input, init) => {
    overUndici ??= fetchOverUndici(variable, tls);
    return (await overUndici)(input, init);
  };
}

/** It reads the proxies of the environment itself. */
async function fetchOverUndici(variable: string | null, tls: TlsOptions = {}): Promise<Fetch> {
  const { EnvHttpProxyAgent, fetch: fetchOver } = await import('undici');
  try {
    const dispatcher = new EnvHttpProxyAgent({ proxyTunnel: false, connect: tls, requestTls: tls });
    // The types of undici and Node.js differ only in parts that are not used here.
    return ((input: string, init: object) => fetchOver(input, { ...init, dispatcher })) as unknown as Fetch;
  } catch (error) {
    if (variable === null) throw error;
    // Not quoted, because it may contain a password.
    throw new Error(`${variable} is not the address of a proxy: use http://host:port`);
  }
}
