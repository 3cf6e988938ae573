import { isLoopback } from './loopback.ts';

/**
 * The environment variable that names a proxy for requests to a URL; null if none is set, or for addresses of this
 * machine, which are always requested directly. Pure.
 */
export function proxyVariable(
  { protocol, hostname }: URL,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  if (isLoopback(hostname)) return null;
  const forHttp = ['http_proxy', 'HTTP_PROXY'];
  const names = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY', ...forHttp] : forHttp;
  return names.find((name) => (environment[name] ?? '') !== '') ?? null;
}
