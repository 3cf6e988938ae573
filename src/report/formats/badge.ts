import type { TestResult } from '../../model/report.ts';
import { verdictWord } from '../view/words.ts';
import { BADGE_COLOURS, badgePicture } from './badge-picture.ts';
import type { RenderedFile } from './rendered-file.ts';

/** A badge as an image, and as what shields.io makes one of. Both tell the day, for a badge stays when it is old. */
export function renderBadge(result: TestResult): readonly RenderedFile[] {
  const message = messageOf(result);
  const colour = colourOf(result);
  return [
    { suffix: '.badge.svg', text: badgePicture({ label: LABEL, message, colour }) },
    { suffix: '.badge.json', text: `${JSON.stringify(endpoint(message, colour), null, 2)}\n` },
  ];
}

const LABEL = 'probity';

function colourOf({ bench, reachable, verdict }: TestResult): string {
  if (bench !== undefined) return BADGE_COLOURS.measured;
  if (!reachable) return BADGE_COLOURS.unreachable;
  return verdict === 'pass'
    ? BADGE_COLOURS.pass
    : verdict === 'fail'
      ? BADGE_COLOURS.fail
      : BADGE_COLOURS.incomplete;
}

function messageOf(result: TestResult): string {
  const { summary, startedAt, bench, reachable } = result;
  const { passed, failed, warnings, blocked, inconclusive, accepted = 0 } = summary;
  const applicable = passed + failed + warnings + blocked + inconclusive + accepted;
  const word = bench === undefined ? verdictWord(result).toLowerCase() : 'measured';
  const count = bench === undefined && reachable && applicable > 0 ? ` ${passed}/${applicable}` : '';
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(startedAt) ?? [];
  return `${word}${count}${day === undefined ? '' : ` · ${day}`}`;
}

/** https://shields.io/badges/endpoint-badge; with `isError` its colour cannot be overridden by whoever shows it. */
function endpoint(message: string, colour: string): Readonly<Record<string, unknown>> {
  return {
    schemaVersion: 1,
    label: LABEL,
    message,
    color: colour,
    labelColor: BADGE_COLOURS.label,
    ...(colour === BADGE_COLOURS.pass ? {} : { isError: true }),
  };
}
