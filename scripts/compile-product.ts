import type { Precompiled } from '../src/suite/precompiled.ts';
import { parseProduct } from '../src/suite/read-yaml.ts';

/** What src/suite/precompiled.ts will find. */
export function product(): Precompiled {
  const { suites, registry } = parseProduct();
  return { suites, requirements: [...registry.values()] };
}
