import type { TestResult } from '../../model/report.ts';
import { verdictMark, verdictWord } from '../view/words.ts';
import { BADGE_COLOURS, badgePicture } from './badge-picture.ts';
import type { RenderedFile } from './rendered-file.ts';

/**
 * A badge as an image and as input for shields.io. Both name the day, because a badge may stay in use when it is old.
 */
export function renderBadge(result: TestResult): readonly RenderedFile[] {
  const message = messageOf(result);
  const colour = BADGE_COLOURS[verdictMark(result)];
  return [
    { suffix: '.badge.svg', text: badgePicture({ label: LABEL, message, colour }) },
    { suffix: '.badge.json', text: `${JSON.stringify(endpoint(message, colour), null, 2)}\n` },
  ];
}

const LABEL = 'probity';

function messageOf(result: TestResult): string {
  const { passed, failed, warnings, undecided, accepted = 0 } = result.summary;
  const applicable = passed + failed + warnings + undecided + accepted;
  const mark = verdictMark(result);
  const count =
    mark === 'measured' || mark === 'unreachable' || applicable === 0 ? '' : ` ${passed}/${applicable}`;
  const { coverage } = result;
  const wanted = coverage === undefined ? 0 : coverage.listed - coverage.excluded;
  const covered =
    coverage === undefined || count === '' || coverage.exercised === wanted
      ? ''
      : ` · ${coverage.exercised}/${wanted} functions`;
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(result.startedAt) ?? [];
  return `${verdictWord(result).toLowerCase()}${count}${covered}${day === undefined ? '' : ` · ${day}`}`;
}

/** https://shields.io/badges/endpoint-badge; `isError` prevents a page from overriding its colour. */
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
