import { acceptedInvalid } from './planted-inputs/accepted-invalid.ts';
import { crashesOnFormats } from './planted-inputs/crashes-on-formats.ts';
import { crashesOnListsAndOptions } from './planted-inputs/crashes-on-lists-and-options.ts';
import { crashesOnNumbers } from './planted-inputs/crashes-on-numbers.ts';
import { crashesOnTexts } from './planted-inputs/crashes-on-texts.ts';
import { mixedUp } from './planted-inputs/mixed-up.ts';
import type { PlantedInputBug } from './planted-inputs/plant-input.ts';
import { unsteady } from './planted-inputs/unsteady.ts';
import { wrongNumbers } from './planted-inputs/wrong-numbers.ts';
import { wrongShapes } from './planted-inputs/wrong-shapes.ts';

export type { PlantedInputBug };

/** Bugs that need exploring: the examples of the functions do not show them. */
export const plantedInputBugs: readonly PlantedInputBug[] = [
  ...crashesOnTexts,
  ...crashesOnNumbers,
  ...crashesOnListsAndOptions,
  ...crashesOnFormats,
  ...wrongNumbers,
  ...wrongShapes,
  ...acceptedInvalid,
  ...unsteady,
  ...mixedUp,
];
