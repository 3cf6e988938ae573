import type { ReportingDescriptor } from 'sarif';
import type { TestResult } from '../../model/report.ts';
import type { Level } from '../../model/requirement.ts';
import { type Case, casesOf } from '../view/cases.ts';
import { printable } from '../view/printable.ts';
import { areaOf, sectionWords } from '../view/words.ts';
import { plain } from './markdown.ts';

/** Every requirement of the run once, those that passed too: a viewer can then tell what was looked at. */
export function rulesOf(result: TestResult): readonly ReportingDescriptor[] {
  const rules = new Map<string, ReportingDescriptor>();
  for (const one of casesOf(result)) {
    const id = printable(one.row.id);
    if (!rules.has(id)) rules.set(id, ruleOf(id, one));
  }
  return [...rules.values()];
}

function ruleOf(id: string, { row, findings }: Case): ReportingDescriptor {
  const { level, spec } = row;
  const text = row.text === undefined ? id : printable(row.text);
  const section = printable(sectionWords(spec));
  const [why = '', fix = ''] = [findings[0]?.why, findings[0]?.fix].map((part) => printable(part ?? ''));
  const help = [
    ['Why', why],
    ['Fix', fix],
  ].filter(([, told]) => told !== '');
  const about = `${printable(level)}, ${section}: ${text}`;
  return {
    id,
    shortDescription: { text },
    fullDescription: { text: about },
    help: {
      text: [about, ...help.map(([label, told]) => `${label}: ${told}`)].join('\n'),
      markdown: [plain(about), ...help.map(([label, told]) => `**${label}:** ${plain(told ?? '')}`)].join(
        '\n\n',
      ),
    },
    defaultConfiguration: { level: LEVELS[level] ?? 'note' },
    properties: {
      tags: [...new Set([printable(level), areaOf(id)])],
      level: printable(level),
      section,
    },
  };
}

const LEVELS = { MUST: 'error', SHOULD: 'warning', MAY: 'note' } as const satisfies Readonly<
  Record<Level, string>
>;
