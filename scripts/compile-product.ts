import type { TargetKind } from '../src/model/suite.ts';
import type { Precompiled } from '../src/suite/precompiled.ts';
import { parseProduct } from '../src/suite/read-yaml.ts';

/** The data that src/suite/precompiled.ts loads. */
export function product(kind: TargetKind): Precompiled {
  const { suites, registry } = parseProduct(kind);
  return { suites, requirements: [...registry.values()] };
}
