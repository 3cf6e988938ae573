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
