/** The parts of a URI reference by the expression of RFC 3986, appendix B. */
const PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/;

interface UriParts {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  readonly path: string;
  readonly query: string | undefined;
  readonly fragment: string | undefined;
}

function partsOf(uri: string): UriParts {
  const [, scheme, authority, path = '', query, fragment] = PARTS.exec(uri) ?? [];
  return { scheme, authority, path, query, fragment };
}

export interface SplitUri {
  /** Without a fragment. */
  readonly uri: string;
  /** Without its `#`; empty where the reference has none. */
  readonly fragment: string;
}

/** Resolves a reference against a base, as in RFC 3986, section 5.2.2. An empty base leaves it unchanged. */
export function resolveUri(base: string, reference: string): SplitUri {
  const given = partsOf(reference);
  const fragment = given.fragment ?? '';
  const from = partsOf(base);
  if (given.scheme !== undefined || base === '') return { uri: withoutFragment(given), fragment };
  if (given.authority !== undefined)
    return { uri: withoutFragment({ ...given, scheme: from.scheme }), fragment };
  if (given.path === '') {
    return { uri: withoutFragment({ ...from, query: given.query ?? from.query }), fragment };
  }
  const path = given.path.startsWith('/') ? given.path : merged(from, given.path);
  return { uri: withoutFragment({ ...from, path: withoutDots(path), query: given.query }), fragment };
}

function withoutFragment({ scheme, authority, path, query }: UriParts): string {
  return [
    scheme === undefined ? '' : `${scheme}:`,
    authority === undefined ? '' : `//${authority}`,
    path,
    query === undefined ? '' : `?${query}`,
  ].join('');
}

function merged(base: UriParts, path: string): string {
  if (base.authority !== undefined && base.path === '') return `/${path}`;
  return base.path.slice(0, base.path.lastIndexOf('/') + 1) + path;
}

function withoutDots(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/');
  segments.forEach((segment, index) => {
    const isLast = index === segments.length - 1;
    if (segment === '..') {
      if (kept.length > 1 || (kept.length === 1 && kept[0] !== '')) kept.pop();
    } else if (segment !== '.') kept.push(segment);
    if (isLast && (segment === '.' || segment === '..')) kept.push('');
  });
  return kept.join('/');
}
