import type { ReportingDescriptor } from 'sarif';
import { type Level, severityOf } from '../../model/requirement.ts';
import type { RequirementView } from '../view/judgement-view.ts';
import { plain } from './markdown-text.ts';

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
  { id, level, section, area, text = id, advice }: RequirementView,
  failOn: Level,
): ReportingDescriptor {
  const about = `${level}, ${section}: ${text}`;
  const texts = new Map(advice);
  const help = [
    ['Why', texts.get('why') ?? ''],
    ['Fix', texts.get('fix') ?? ''],
  ].filter(([, words]) => words !== '');
  return {
    id,
    shortDescription: { text },
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
