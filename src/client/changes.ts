import { type Json, ownProperty } from '../model/json.ts';
import { changesPage, type DirectoryChange } from '../platform-api/changes.ts';
import { type Shaped, shapedAs } from './answer-shapes.ts';

/** Changes, the oldest first. */
export interface DirectoryChanges {
  readonly changes: readonly DirectoryChange[];
  /** Give it to read what changed afterwards. */
  readonly cursor: string;
  /** Whether more changes can be read now. */
  readonly hasMore: boolean;
}

/** The answer of the operation `changes`. Pure. */
export function changesOf(answer: Json): Shaped<DirectoryChanges> {
  const shaped = shapedAs<DirectoryChanges>(changesPage, answer);
  if ('problem' in shaped) return shaped;
  for (const [index, change] of shaped.value.changes.entries()) {
    const missing = NEEDED[change.kind].find((name) => ownProperty(change, name) === undefined);
    if (missing !== undefined)
      return {
        problem: {
          at: `/changes/${index}/${missing}`,
          expected: `a ${change.kind} server`,
          received: 'nothing',
        },
      };
  }
  return shaped;
}

const NEEDED = { changed: ['server'], removed: ['id', 'removedAt'] } as const;
