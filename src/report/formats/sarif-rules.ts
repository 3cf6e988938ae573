import type { ReportingDescriptor } from 'sarif';
import { type Level, severityOf } from '../../model/requirement.ts';
import type { RequirementView } from '../view/judgement-view.ts';
import { plain } from './markdown-text.ts';
import { requirementPage } from './requirement-page.ts';

/** Every requirement of the run once, including those that passed, so that a viewer shows what was checked. */
export function rulesOf(
  requirements: readonly RequirementView[],
  failOn: Level,
): readonly ReportingDescriptor[] {
  return [...new Map(requirements.toReversed().map((one) => [one.id, one])).values()]
    .toReversed()
    .map((one) => ruleOf(one, failOn));
}

function ruleOf(
  { id, level, section, area, text, advice }: RequirementView,
  failOn: Level,
): ReportingDescriptor {
  const about = `${level}, ${section}: ${text ?? id}`;
  const texts = new Map(advice);
  const help = [
    ['Why', texts.get('why') ?? ''],
    ['Fix', texts.get('fix') ?? ''],
  ].filter(([, words]) => words !== '');
  const page = requirementPage(id, text);
  return {
    id,
    name: nameOf(id),
    ...(page === undefined ? {} : { helpUri: page }),
    shortDescription: { text: text ?? id },
    fullDescription: { text: about },
    help: {
      text: [about, ...help.map(([label, words]) => `${label}: ${words}`)].join('\n'),
      markdown: [plain(about), ...help.map(([label, words]) => `**${label}:** ${plain(words ?? '')}`)].join(
        '\n\n',
      ),
    },
    defaultConfiguration: { level: severityOf(level, failOn) },
    properties: { tags: [...new Set([level, area])], level, section },
  };
}

/** `HealthStatus200`. */
function nameOf(id: string): string {
  return id
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join('');
}
