import { amounts } from './planted-sequences/amounts.ts';
import { conformingLifetimes } from './planted-sequences/conforming-lifetimes.ts';
import { conformingLimits } from './planted-sequences/conforming-limits.ts';
import { conformingRecords } from './planted-sequences/conforming-records.ts';
import { deletedThings } from './planted-sequences/deleted-things.ts';
import { emptiedThings } from './planted-sequences/emptied-things.ts';
import { keys } from './planted-sequences/keys.ts';
import { names } from './planted-sequences/names.ts';
import { orderedThings } from './planted-sequences/ordered-things.ts';
import type { ConformingStateful, PlantedSequenceBug } from './planted-sequences/plant-sequence.ts';
import { relatedThings } from './planted-sequences/related-things.ts';
import { states } from './planted-sequences/states.ts';
import { stepsBack } from './planted-sequences/steps-back.ts';

export type { ConformingStateful, PlantedSequenceBug };

/** Bugs that no single call shows: two to five calls are needed, mostly with ids of earlier results. */
export const plantedSequenceBugs: readonly PlantedSequenceBug[] = [
  ...deletedThings,
  ...emptiedThings,
  ...names,
  ...keys,
  ...relatedThings,
  ...orderedThings,
  ...states,
  ...stepsBack,
  ...amounts,
];

/** Correct servers whose answers depend on earlier calls. */
export const conformingStateful: readonly ConformingStateful[] = [
  ...conformingLifetimes,
  ...conformingLimits,
  ...conformingRecords,
];
