import { canonicalJson, isJsonObject, type Json, ownProperty, pointerSteps } from '../../json/json.ts';
import { decodedPart } from '../../text/parse-url.ts';
import { type Draft, declaredDraft, isSince, subschemasOf } from './drafts.ts';
import type { Anchor, Resource, SchemaDocument } from './schema-node.ts';

/**
 * Finds every schema of a document by the keywords of its draft, with its URIs and anchors. Returns the root resource.
 */
export function indexDocument(schema: Json, draft: Draft): Resource {
  const resources = new Map<string, Resource>();
  const ambiguousUris = new Set<string>();
  const resourceOf = new Map<Json, Resource>();
  const schemas = new Set<Json>();
  const newResource = (root: Json, uri: string, ofDraft: Draft): MutableResource => {
    const resource: MutableResource = {
      document,
      uri,
      root,
      draft: ofDraft,
      isKnownDraft: declaredDraft(root).kind !== 'unknown',
      anchors: new Map(),
      dynamicAnchors: new Map(),
      isRecursive: ofDraft === '2019-09' && ownProperty(root, '$recursiveAnchor') === true,
      nodes: new Map(),
    };
    const known = resources.get(uri);
    if (known === undefined) resources.set(uri, resource);
    else if (canonicalJson(known.root) !== canonicalJson(root)) ambiguousUris.add(uri);
    resourceOf.set(root, resource);
    return resource;
  };
  const document: SchemaDocument = { resources, ambiguousUris, resourceOf, schemas };
  const root = newResource(schema, resolveUri('', idOf(schema, draft) ?? '').uri, draft);
  const pending: [Json, MutableResource][] = [[schema, root]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [part, outer] = next;
    if (!isJsonObject(part)) continue;
    schemas.add(part);
    const resource = resourceAt(part, outer, newResource);
    nameAnchors(part, resource);
    for (const inner of subschemasOf(part, resource.draft)) pending.push([inner, resource]);
  }
  return root;
}

interface MutableResource extends Resource {
  readonly anchors: Map<string, Anchor>;
  readonly dynamicAnchors: Map<string, Json>;
}

type NewResource = (root: Json, uri: string, draft: Draft) => MutableResource;

/** Drafts 06 and 07 ignore all keywords beside a `$ref`, including `$id`. */
function idOf(schema: Json, draft: Draft): string | null {
  const id = ownProperty(schema, '$id');
  if (typeof id !== 'string') return null;
  return !isSince(draft, '2019-09') && typeof ownProperty(schema, '$ref') === 'string' ? null : id;
}

function resourceAt(schema: Json, outer: MutableResource, newResource: NewResource): MutableResource {
  if (schema === outer.root) return outer;
  const declared = declaredDraft(schema);
  const draft = declared.kind === 'one' ? declared.draft : outer.draft;
  const id = idOf(schema, draft);
  if (id === null || id === '' || id.startsWith('#')) return outer;
  return newResource(schema, resolveUri(outer.uri, id).uri, draft);
}

function nameAnchors(schema: Json, resource: MutableResource): void {
  const { draft, anchors, dynamicAnchors } = resource;
  const add = (name: Json | undefined): void => {
    if (typeof name !== 'string' || name === '') return;
    const known = anchors.get(name);
    const isSame = known?.kind === 'one' && canonicalJson(known.schema) === canonicalJson(schema);
    if (!isSame) anchors.set(name, known === undefined ? { kind: 'one', schema } : { kind: 'ambiguous' });
  };
  if (!isSince(draft, '2019-09')) {
    add(resolveUri('', idOf(schema, draft) ?? '').fragment);
    return;
  }
  add(ownProperty(schema, '$anchor'));
  const dynamic = draft === '2020-12' ? ownProperty(schema, '$dynamicAnchor') : undefined;
  if (typeof dynamic !== 'string') return;
  if (dynamic !== ownProperty(schema, '$anchor')) add(dynamic);
  if (!dynamicAnchors.has(dynamic)) dynamicAnchors.set(dynamic, schema);
}

type Located =
  | {
      readonly kind: 'found';
      readonly schema: Json;
      readonly resource: Resource;
      readonly anchor: string | null;
    }
  /** The document is known, but the place in it does not exist. */
  | { readonly kind: 'nowhere'; readonly isPointer: boolean }
  /** More than one schema has the name or URI. */
  | { readonly kind: 'ambiguous' }
  /** The document is unknown. */
  | { readonly kind: 'elsewhere' };

/** Resolves a reference within its document, or to one of the metaschemas. */
export function locate(reference: string, from: Resource, metaschemas: SchemaDocument['resources']): Located {
  const { uri, fragment } = resolveUri(from.uri, reference);
  const { resources, ambiguousUris } = from.document;
  if (uri !== from.uri && ambiguousUris.has(uri)) return { kind: 'ambiguous' };
  const resource = uri === from.uri ? from : (resources.get(uri) ?? metaschemas.get(uri));
  if (resource === undefined) return { kind: 'elsewhere' };
  const name = decodedPart(fragment);
  if (name === null) return { kind: 'nowhere', isPointer: fragment.startsWith('/') };
  if (name === '') return { kind: 'found', schema: resource.root, resource, anchor: null };
  if (name.startsWith('/')) return followPointer(name, resource);
  const anchor = resource.anchors.get(name);
  if (anchor === undefined) return { kind: 'nowhere', isPointer: false };
  if (anchor.kind === 'ambiguous') return anchor;
  return { kind: 'found', schema: anchor.schema, resource, anchor: name };
}

function followPointer(pointer: string, from: Resource): Located {
  let schema = from.root;
  let resource = from;
  for (const key of pointerSteps(pointer)) {
    const part = Array.isArray(schema) ? itemAt(schema, key) : ownProperty(schema, key);
    if (part === undefined) return { kind: 'nowhere', isPointer: true };
    schema = part;
    resource = from.document.resourceOf.get(schema) ?? resource;
  }
  return { kind: 'found', schema, resource, anchor: null };
}

function itemAt(items: readonly Json[], key: string): Json | undefined {
  return /^(?:0|[1-9]\d*)$/.test(key) ? items[Number(key)] : undefined;
}

/** The parts of a URI reference by the expression of RFC 3986, appendix B. */
const PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/;

type UriParts = ReturnType<typeof partsOf>;

function partsOf(uri: string) {
  const [, scheme, authority, path = '', query, fragment] = PARTS.exec(uri) ?? [];
  return { scheme, authority, path, query, fragment };
}

interface SplitUri {
  /** Without a fragment. */
  readonly uri: string;
  /** Without its `#`; empty where the reference has none. */
  readonly fragment: string;
}

/** Resolves a reference against a base, as in RFC 3986, section 5.2.2. An empty base leaves it unchanged. */
export function resolveUri(base: string, reference: string): SplitUri {
  const given = partsOf(reference);
  return { uri: withoutFragment(resolvedParts(base, given)), fragment: given.fragment ?? '' };
}

function resolvedParts(base: string, given: UriParts): UriParts {
  const from = partsOf(base);
  if (given.scheme !== undefined || base === '') return given;
  if (given.authority !== undefined) return { ...given, scheme: from.scheme };
  if (given.path === '') return { ...from, query: given.query ?? from.query };
  const path = given.path.startsWith('/') ? given.path : merged(from, given.path);
  return { ...from, path: withoutDots(path), query: given.query };
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
