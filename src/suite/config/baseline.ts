import { LIVE_CHARACTERS, liveFreeJson } from '../../json/visible.ts';
import type { AcceptedFinding, Baseline } from '../../model/judgement.ts';
import { areaOf } from '../../model/requirement.ts';
import { didYouMean } from '../yaml/diagnostic.ts';
import { optional, record, required } from '../yaml/mapping.ts';
import { REQUIREMENT_ID } from '../yaml/names.ts';
import { parseDocument } from '../yaml/parse-document.ts';
import { day, integer, listOf, oneOf, placed, type Shape, text } from '../yaml/shape.ts';

const FINGERPRINT = /^[0-9a-f]{16}$/;

const fingerprintText = text({ pattern: FINGERPRINT, words: 'a fingerprint: 16 digits from 0 to f' });

/** YAML reads a fingerprint of decimal digits as a number, which may lose digits. */
const fingerprint: Shape<string> = {
  ...fingerprintText,
  read: (tree, report) => {
    if (tree.kind !== 'scalar' || typeof tree.value !== 'number') return fingerprintText.read(tree, report);
    report(
      'wrong-type',
      tree.place,
      'without quotation marks this fingerprint is read as a number',
      'Put it in quotation marks.',
    );
    return undefined;
  },
};

/** Any text: a server may name a function " ". */
const functionName = text({ pattern: /[\s\S]/, words: 'the name of a function' });

const accepted = record('an accepted finding', {
  requirement: required(
    placed(text({ pattern: REQUIREMENT_ID, words: 'the id of a requirement, such as health/status-200' })),
    'The requirement that is not met, or not decided.',
  ),
  function: optional(functionName, 'The function of the finding.'),
  outcome: optional(oneOf(['failed', 'undecided', 'blocked']), 'Outcome of the finding; default: failed.'),
  fingerprint: required(
    fingerprint,
    'Fingerprint of the finding. A finding with another fingerprint is not accepted.',
  ),
  input: optional(
    fingerprint,
    'Fingerprint of the generated input that showed it: the entry counts as no longer found only in a run that sends this input again.',
  ),
  reason: required(text(), 'Why it is accepted, for readers of the report.'),
  until: required(
    day('2026-12-31'),
    'The last day on which it is accepted (UTC). After it, the finding fails the run.',
  ),
  evidence: optional(text(), 'What was found when it was accepted, for people.'),
});

/** The accepted findings, probity.baseline.yaml. */
export const baselineShape = record('a baseline', {
  baseline: required(oneOf(['v1']), 'Version of the baseline.'),
  exercised: optional(
    integer(0, Number.MAX_SAFE_INTEGER),
    'How many functions were exercised when it was written: a run that exercises fewer is incomplete.',
  ),
  definitionTokens: optional(
    integer(0, Number.MAX_SAFE_INTEGER),
    'Estimated tokens of the definitions of all functions when it was written: a run fails in which they cost over 10 %, and over 100 tokens, more.',
  ),
  accepted: required(listOf(accepted), 'The accepted findings; may be empty.'),
});

/** The parts of the baseline, for the reference in the docs. */
export const baselineLanguageParts = { baseline: baselineShape, accepted } as const;

/**
 * Reads a baseline; throws a SuiteError with all mistakes. An unknown id in an area of the product is a mistake; any
 * other unknown id belongs to a suite of the user. Pure.
 */
export function parseBaseline(source: string, file: string, productIds: Iterable<string>): Baseline {
  const known = [...productIds];
  const seen = new Map<string, number>();
  return parseDocument(source, file, baselineShape, ({ accepted, exercised, definitionTokens }, report) => {
    const entries = accepted.map(({ requirement, outcome = 'failed', ...entry }): AcceptedFinding => {
      const { value: id, place } = requirement;
      const ofArea = known.filter((one) => areaOf(one) === areaOf(id));
      if (ofArea.length > 0 && !ofArea.includes(id))
        report('unknown-requirement', place, `unknown requirement "${id}"`, didYouMean(id, ofArea, ''));
      const identity = JSON.stringify([id, entry.function ?? null, outcome, entry.fingerprint]);
      const firstLine = seen.get(identity);
      if (firstLine === undefined) seen.set(identity, place.line);
      else {
        const message = `line ${firstLine} already accepts the same finding of "${id}"`;
        report('duplicate-id', place, message, UNIQUE_REMEDY);
      }
      return { ...entry, requirement: id, outcome };
    });
    return {
      entries,
      ...(exercised === undefined ? {} : { exercised }),
      ...(definitionTokens === undefined ? {} : { definitionTokens }),
    };
  });
}

const UNIQUE_REMEDY =
  'Keep one of the two: requirement, function, outcome and fingerprint together are unique.';

const HEADER = `# yaml-language-server: $schema=./node_modules/probity/schemas/baseline.schema.json
#
# Accepted findings. \`probity check URL --baseline FILE\` passes in spite of them, and fails when one
# of them has expired, has changed or no longer occurs. Other findings count as usual.
# Written by \`probity baseline REPORT\`, which keeps the entries that still occur, and no other comments.
`;

/** A baseline as the text of its file; read again, it gives the same entries. Pure. */
export function writeBaseline(
  { entries, exercised, definitionTokens }: Baseline,
  notes: readonly string[] = [],
): string {
  const comments = notes.map((note) => `# ${note.replaceAll(LIVE_CHARACTERS, ' ')}\n`).join('');
  const reached = exercised === undefined ? '' : `exercised: ${exercised}\n`;
  const cost = definitionTokens === undefined ? '' : `definitionTokens: ${definitionTokens}\n`;
  const accepted = entries.length === 0 ? ' []\n' : `\n${entries.map(entryLines).join('')}`;
  return `${HEADER}${comments}baseline: v1\n${reached}${cost}accepted:${accepted}`;
}

function entryLines({ requirement, function: name, ...entry }: AcceptedFinding): string {
  const lines = [
    `requirement: ${scalar(requirement)}`,
    ...(name === undefined ? [] : [`function: ${scalar(name)}`]),
    `outcome: ${entry.outcome}`,
    `fingerprint: ${liveFreeJson(entry.fingerprint)}`,
    ...(entry.input === undefined ? [] : [`input: ${liveFreeJson(entry.input)}`]),
    `reason: ${scalar(entry.reason)}`,
    `until: ${liveFreeJson(entry.until)}`,
    ...(entry.evidence === undefined || entry.evidence.trim() === ''
      ? []
      : [`evidence: ${scalar(entry.evidence)}`]),
  ];
  return lines.map((line, index) => `${index === 0 ? '  - ' : '    '}${line}\n`).join('');
}

/** Words that YAML reads as text. */
const PLAIN = /^[A-Za-z][A-Za-z0-9 _/.,;()-]*(?<! )$/;
const NOT_TEXT = /^(true|false|null)$/i;

function scalar(text: string): string {
  return PLAIN.test(text) && !NOT_TEXT.test(text) ? text : liveFreeJson(text);
}
