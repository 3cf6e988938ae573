import type { ReportedFinding } from '../../model/judgement.ts';
import type { Field, FindingView, RequirementView } from './judgement-view.ts';

/** A requirement and all its findings, as plain text. */
export function evidenceLines(requirement: RequirementView): readonly string[] {
  const { level, id, section, text, findings, advice } = requirement;
  const rule = `${level} ${id}, ${section}`;
  const lines = (all: readonly Field[]): readonly string[] =>
    all.map(([label, text]) => `  ${`${label}:`.padEnd(LABEL_WIDTH)}${text}`);
  return [
    text === undefined ? rule : `${rule}: ${text}`,
    // The sentence contains the place.
    ...findings.flatMap(({ sentence, evidence }) => [
      '',
      sentence,
      ...lines(evidence.filter(([label]) => label !== 'at')),
    ]),
    ...(advice.length === 0 ? [] : ['', ...lines(advice)]),
  ];
}

const LABEL_WIDTH = 10;

/** A finding in a few lines; the rest is shown elsewhere. */
export function briefLines({ sentence, expected, received, fix }: FindingView): readonly string[] {
  return [sentence, `expected: ${expected}`, `received: ${received}`, ...(fix === '' ? [] : [`fix: ${fix}`])];
}

/** What is wrong and where. */
export function sentenceOf(finding: ReportedFinding): string {
  const place = placeOf(finding);
  return place === '' ? finding.message : `${finding.message} (${place})`;
}

export function placeOf({ where }: ReportedFinding): string {
  const parts = [
    functionWords(where),
    where.case === undefined ? '' : `case ${where.case}`,
    where.pointer ?? '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** The function; empty if there is none. */
export function functionWords({ function: name }: { readonly function?: string }): string {
  return name === undefined ? '' : `function "${name}"`;
}
