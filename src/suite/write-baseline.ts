import { LIVE_CHARACTERS, liveFreeJson } from '../json/visible.ts';
import type { AcceptedFinding, Baseline } from '../model/judgement.ts';

const HEADER = `# yaml-language-server: $schema=./node_modules/probity/schemas/baseline.schema.json
#
# Accepted findings. \`probity check URL --baseline FILE\` passes in spite of them, and fails when one
# of them has expired, has changed or no longer occurs. Other findings count as usual.
# Written by \`probity baseline REPORT\`, which keeps the entries that still occur, and no other comments.
`;

/** A baseline as the text of its file; read again, it gives the same entries. Pure. */
export function writeBaseline({ entries, exercised }: Baseline, notes: readonly string[] = []): string {
  const comments = notes.map((note) => `# ${note.replaceAll(LIVE_CHARACTERS, ' ')}\n`).join('');
  const reached = exercised === undefined ? '' : `exercised: ${exercised}\n`;
  const accepted = entries.length === 0 ? ' []\n' : `\n${entries.map(entryLines).join('')}`;
  return `${HEADER}${comments}baseline: v1\n${reached}accepted:${accepted}`;
}

function entryLines({ requirement, function: name, ...entry }: AcceptedFinding): string {
  const lines = [
    `requirement: ${scalar(requirement)}`,
    ...(name === undefined ? [] : [`function: ${scalar(name)}`]),
    `outcome: ${entry.outcome}`,
    `fingerprint: ${liveFreeJson(entry.fingerprint)}`,
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
