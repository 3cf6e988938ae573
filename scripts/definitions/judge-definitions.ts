import { namesApart } from '../../src/checks/texts/names-apart.ts';
import { safeTexts } from '../../src/checks/texts/safe-texts.ts';
import { clientDefinition, definitionTokens } from '../../src/contract/definition-tokens.ts';
import { contractIn } from '../../src/contract/read-contract.ts';
import { TEXT_SUBJECTS } from '../../src/generated/texts.ts';
import type { Shortcoming } from '../../src/model/judgement.ts';
import type { TestResult } from '../../src/model/report.ts';

/** What the rules about texts, and the estimate of tokens, say of the lists that a run read. */
export function judgeDefinitions({ exchanges, target }: TestResult) {
  const contract = contractIn(exchanges);
  if (contract === null) return null;
  const common = {
    asked: exchanges.map((exchange) => ({ exchange, call: null, item: undefined })),
    exchanges,
    targetUrl: target.url,
    opened: { channel: 'stdio' },
  };
  const alarms = TEXT_SUBJECTS.flatMap(({ subject }) => {
    const context = { ...common, options: { subject } } as never;
    const found = subject === 'names-apart' ? namesApart.judge(context) : safeTexts.judge(context);
    return [found]
      .flat()
      .filter((one): one is Shortcoming => one.outcome === 'failed')
      .map(({ message, received }) => ({ subject, message, received }));
  });
  return {
    tools: contract.functions.length,
    tokens: definitionTokens(contract).total,
    definitions: contract.functions.map(clientDefinition),
    alarms,
  };
}
