import { madeVisible, type Visible, type VisibleJudgement } from 'probity/html';
import {
  createSchemaEvaluator,
  isMeasurement,
  type LastResult,
  type Measurement,
  ownProperty,
  type ReportedFinding,
  type ServerDetails,
  shorten,
} from 'probity/model';
import { MAX_LENGTHS } from './figures.tsx';
import { type FunctionView, functionView } from './functions.tsx';

/** Everything that an entry's page shows, with every text made visible. */
export type EntryView = Omit<ServerDetails, 'functions' | 'lastResult'> & {
  readonly functions: readonly FunctionView[];
  /** Number of functions that are left out. */
  readonly moreFunctions: number;
  readonly lastResult: LastResultView | null;
  readonly pageUrl: string;
  readonly apiUrl: string;
};

export type LastResultView = Omit<LastResult, 'results' | 'findings' | 'responseTimes' | 'samples'> & {
  readonly judgement: VisibleJudgement;
  readonly measured: readonly Measurement[];
};

const MAX_FUNCTIONS = 50;

/** `address` is the public address of the service. Pure. */
export function entryView(details: ServerDetails, address: string): Visible<EntryView> {
  const { functions, lastResult, ...rest } = details;
  const apiUrl = `${address}/v1/servers/${details.id}`;
  const schemas = createSchemaEvaluator();
  const tokens = new Map(
    lastResult?.clientView?.tokens.functions.map(({ function: name, total }) => [name, total]),
  );
  const view = {
    ...rest,
    name: shorten(rest.name, MAX_LENGTHS.name),
    description: shorten(rest.description, MAX_LENGTHS.description),
    functions: functions.slice(0, MAX_FUNCTIONS).map((descriptor) =>
      functionView(descriptor, {
        executeUrl: `${apiUrl}/execute`,
        schemas,
        tokens,
        lastInput: lastResult?.samples.find((sample) => sample.function === ownProperty(descriptor, 'name'))
          ?.input,
      }),
    ),
    moreFunctions: Math.max(0, functions.length - MAX_FUNCTIONS),
    lastResult: lastResult === null ? null : resultView(lastResult),
    pageUrl: `${address}/servers/${details.id}`,
    apiUrl,
  };
  const shown = madeVisible({ ...view, functions: view.functions.map((one) => ({ ...one, call: null })) });
  return {
    ...shown,
    // Invisible characters in the command are already JSON escapes, and its line breaks must stay.
    functions: shown.functions.map((one, index) => ({ ...one, call: view.functions[index]?.call ?? null })),
  };
}

function resultView({ results, findings, responseTimes, samples: _, ...rest }: LastResult): LastResultView {
  return {
    ...rest,
    judgement: madeVisible({
      results,
      findings: findings.map(withTargetToken),
      // Only MUST findings keep a server from being listed.
      settings: { failOn: 'must' as const },
    }),
    measured: responseTimes.filter(isMeasurement),
  };
}

/**
 * The commands of a finding call the target with the target's key. This page uses PROBITY_TOKEN for the API key, so the
 * target's variable is renamed; otherwise a copied command would send the API key to the target.
 */
function withTargetToken(finding: ReportedFinding): ReportedFinding {
  const renamed = (command: string | null): string | null =>
    command?.replaceAll('PROBITY_', 'TARGET_') ?? null;
  return { ...finding, curl: renamed(finding.curl), check: renamed(finding.check) };
}
