import type { TargetKind } from '../src/model/suite.ts';
import { digestOfSources, type Precompiled } from '../src/suite/precompiled.ts';
import { parseProduct } from '../src/suite/read-yaml.ts';

/** The data that src/suite/precompiled.ts loads, and the digest of what it was made from. */
export async function product(
  kind: TargetKind,
): Promise<{ readonly precompiled: Precompiled; readonly digest: string }> {
  const { suites, registry } = parseProduct(kind);
  return {
    precompiled: { suites, requirements: [...registry.values()] },
    digest: await digestOfSources(kind),
  };
}
