import { proxyVariable } from '../model/proxy-variable.ts';

type Fetch = typeof globalThis.fetch;

/** The global `fetch`, which uses no proxy; that of undici where the environment names one. */
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
    // The types of undici and of Node.js differ in what is never used here.
    return ((input: string, init: object) => fetchOver(input, { ...init, dispatcher })) as unknown as Fetch;
  } catch {
    // Not quoted: it may hold a password.
    throw new Error(`${variable} is not the address of a proxy: give it as http://host:port`);
  }
}
