import type { Json } from '../model/json.ts';

/**
 * `plain`: short and ordinary values, without anything optional. `any`: whatever the schema allows, within bounds.
 */
export type Variety = 'plain' | 'any';

export interface Making {
  readonly root: Json;
  readonly depth: number;
  readonly variety: Variety;
  /** How often the part may be repeated: the lists around it take their share. */
  readonly repeated: number;
  /** Parts of the schema, and characters that texts must have, that may still be spent. */
  readonly left: { parts: number; characters: number };
}
