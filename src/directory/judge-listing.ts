import type { Listing, ListingJudgement } from '../model/listing.ts';
import type { TestResult } from '../model/report.ts';

/** Decides whether an entry may be shown, from its listing and its last test; null for one that was never tested. */
export type JudgeListing = (listing: Listing, result: TestResult | null) => Promise<ListingJudgement>;

/** Stands in for the listing checks of src/listing: by the test alone. */
export const judgeByTestAlone: JudgeListing = async (_listing, result) => {
  const requirement = 'contract';
  if (result === null)
    return {
      decision: 'hold',
      rows: [
        {
          requirement,
          level: 'MUST',
          outcome: 'inconclusive',
          evidence: [
            {
              kind: 'undecided',
              text: 'the server was not tested yet',
              remedy: 'Wait for the next test, or ask for one: POST /v1/servers/{serverId}/test.',
            },
          ],
        },
      ],
    };
  const failing = result.results.filter(({ level, outcome }) => level === 'MUST' && outcome === 'failed');
  if (failing.length > 0)
    return {
      decision: 'reject',
      rows: [
        {
          requirement,
          level: 'MUST',
          outcome: 'failed',
          evidence: failing.map(({ id, text }) => ({
            kind: 'missing',
            text: text ?? id,
            remedy: result.findings.find((finding) => finding.id === id)?.fix ?? `See ${id} in the result.`,
          })),
        },
      ],
    };
  const isPass = result.verdict === 'pass';
  return {
    decision: isPass ? 'list' : 'hold',
    rows: [
      {
        requirement,
        level: 'MUST',
        outcome: isPass ? 'passed' : 'inconclusive',
        evidence: [
          isPass
            ? { kind: 'found', text: `${result.summary.passed} requirements of the contract are kept` }
            : {
                kind: 'undecided',
                text: 'the last test could not decide all requirements',
                remedy: 'Look at its findings; test again.',
              },
        ],
      },
    ],
  };
};
