import { isJsonObject, type Json } from '../../model/json.ts';

/** The target of a local reference such as `#/$defs/address`. */
export function resolveLocalReference(root: Json, reference: string): Json | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let current: Json | undefined = root;
  for (const part of decodeFragment(reference.slice(1)).split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(current)) current = current[Number(name)];
    else current = isJsonObject(current) && Object.hasOwn(current, name) ? current[name] : undefined;
  }
  return current;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
