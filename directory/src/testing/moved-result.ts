import type { TestResult } from 'probity/model';

/**
 * The result of a check through a bridge, as if the server had been called at its own address: the bridge listens on
 * this machine, for one check. Pure.
 */
export function movedTo(
  { url, publicOnly }: { readonly url: string; readonly publicOnly: boolean },
  result: TestResult,
): TestResult {
  const from = result.target.url;
  const host = new URL(from).host;
  const moved = (text: string): string => (text.startsWith(from) ? `${url}${text.slice(from.length)}` : text);
  return {
    ...result,
    settings: { ...result.settings, publicOnly },
    target: { ...result.target, url },
    findings: result.findings.map((finding) => ({
      ...finding,
      request: finding.request === null ? null : { ...finding.request, url: moved(finding.request.url) },
    })),
    exchanges: result.exchanges.map((exchange) => ({
      ...exchange,
      request: {
        ...exchange.request,
        url: moved(exchange.request.url),
        headers: exchange.request.headers.map(([name, value]) =>
          value === host ? [name, new URL(url).host] : [name, value],
        ),
      },
    })),
  };
}
