import type { CheckOptions } from '../../src/run/check-options.ts';
import type { DoubleOptions } from './directory.ts';
import { recordOf } from './records.ts';
import { json, MOST, soundRules, tagsIn } from './rules.ts';

export interface Variation {
  readonly name: string;
  readonly options: DoubleOptions;
  readonly run?: CheckOptions;
}

const { problemOf, filters, pageOf } = soundRules;

/** What the specification leaves open, decided otherwise than the double does by itself. */
export const variations: readonly Variation[] = [{ name: 'as it is', options: {} }];
