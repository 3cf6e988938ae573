import { proxyVariable } from '../model/proxy-variable.ts';

type Fetch = typeof globalThis.fetch;

/** The global `fetch`, which uses no proxy; undici's `fetch` if the environment names a proxy. */
export function defaultFetch(baseUrl: string): Fetch {
  const variable = proxyVariable(new URL(baseUrl), process.env);
  if (variable === null) return (input, init) => fetch(input, init);
  let viaProxy: Promise<Fetch> | null = null;
  return async (input, init) => {
    viaProxy ??= fetchViaProxy(variable);
    return (await viaProxy)(input, init);
  };
}

async function fetchViaProxy(variable: string): Promise<Fetch> {
  const { EnvHttpProxyAgent, fetch: fetchOver } = await import('undici');
  try {
    const dispatcher = new EnvHttpProxyAgent({ proxyTunnel: false });
    // The types of undici and Node.js differ only in parts that are not used here.
    return ((input: string, init: object) => fetchOver(input, { ...init, dispatcher })) as unknown as Fetch;
  } catch {
    // Not quoted, because it may contain a password.
    throw new Error(`${variable} is not the address of a proxy: use http://host:port`);
  }
}
