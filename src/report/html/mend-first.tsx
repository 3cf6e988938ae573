import type { VNode } from 'preact';
import type { ReportedFinding } from '../../model/judgement.ts';
import { type FoundOf, sectionWords, stateOf, toMend } from '../view/words.ts';
import { Command } from './command.tsx';
import type { VisibleJudgement } from './visible-result.ts';

/** Open from the start: what the reader came for. */
const MAX_OPEN = 3;
const MAX_WHOLE_FINDINGS = 3;
/** Told in a line each; the JSON result has them all. */
const MAX_FINDINGS = 20;

export function MendFirst({ result }: { readonly result: VisibleJudgement }): VNode | null {
  const found = toMend(result);
  const accepted = result.findings.filter((finding) => finding.accepted !== undefined);
  const problems = result.baseline?.problems ?? [];
  if (found.length === 0 && accepted.length === 0 && problems.length === 0) return null;
  return (
    <section id="mend" aria-labelledby="mend-title">
      <h2 id="mend-title">What to mend, what matters most first</h2>
      {problems.length === 0 ? null : (
        <div class="box fail">
          <h3>The baseline does not hold any more</h3>
          <ul>
            {problems.map(({ kind, requirement, function: name, message }) => (
              <li key={`${kind} ${requirement} ${name}`}>
                <b>{kind}</b> <code>{requirement}</code>
                {name === undefined ? null : (
                  <>
                    {', function '}
                    <code>{name}</code>
                  </>
                )}
                : {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {found.map((one, index) => (
        <Broken key={one.row.id} found={one} result={result} open={index < MAX_OPEN} />
      ))}
      {accepted.length === 0 ? null : <Accepted findings={accepted} />}
    </section>
  );
}

function Broken({
  found: { row, findings },
  result,
  open,
}: {
  readonly found: FoundOf;
  readonly result: VisibleJudgement;
  readonly open: boolean;
}): VNode {
  const kind = stateOf(row, result);
  const [first] = findings;
  const told = findings.slice(0, MAX_WHOLE_FINDINGS);
  const brief = findings.slice(MAX_WHOLE_FINDINGS, MAX_FINDINGS);
  const untold = findings.length - told.length - brief.length;
  return (
    <details class={`broken ${kind}`} open={open} id={anchorOf(row.id)}>
      <summary>
        <span class={`mark ${kind}`}>{kind}</span> <code class="id">{row.id}</code>{' '}
        <span class="level">
          {row.level}, {sectionWords(row.spec)}
        </span>
        <span class="statement">
          {first?.message ?? row.reason ?? `by ${row.blockedBy}, which is not met`}
        </span>
      </summary>
      {row.text === undefined ? null : (
        <p>
          <b>Rule:</b> {row.text}
        </p>
      )}
      {told.map((finding, index) => (
        <Evidence key={index} finding={finding} of={first} />
      ))}
      {brief.length === 0 ? null : (
        <>
          <h3>The same elsewhere</h3>
          <ul>
            {brief.map((finding, index) => (
              <li key={index}>
                {placeOf(finding)} {finding.message}: <code>{finding.received}</code>
              </li>
            ))}
            {untold > 0 ? <li>and {untold} more, in the JSON result</li> : null}
          </ul>
        </>
      )}
      {first === undefined || first.why === '' ? null : (
        <p>
          <b>Why it matters:</b> {first.why}
        </p>
      )}
      {first === undefined || first.fix === '' ? null : (
        <p>
          <b>How to mend it:</b> {first.fix}
        </p>
      )}
      {first === undefined ? null : <Command label="Check this alone" text={first.check} />}
    </details>
  );
}

function Evidence({
  finding,
  of,
}: {
  readonly finding: ReportedFinding;
  readonly of: ReportedFinding | undefined;
}): VNode {
  const { message, expected, received, fault, curl, fix, where } = finding;
  return (
    <div class="evidence">
      <p class="message">{message}</p>
      <dl>
        {placeOf(finding) === '' ? null : (
          <>
            <dt>at</dt>
            <dd>{placeOf(finding)}</dd>
          </>
        )}
        <dt>expected</dt>
        <dd>
          <code>{expected}</code>
        </dd>
        <dt>received</dt>
        <dd>
          <code class="received">{received}</code>
        </dd>
        {fault === 'server' ? null : (
          <>
            <dt>fault</dt>
            <dd>
              {fault === 'network'
                ? 'the network’s, or nothing listens there'
                : 'not the server’s: a limit of the check'}
            </dd>
          </>
        )}
        <dt>suite</dt>
        <dd>
          <code>{`${where.suite}:${where.line}:${where.column}`}</code>
        </dd>
      </dl>
      {fix === of?.fix ? null : (
        <p>
          <b>How to mend it here:</b> {fix}
        </p>
      )}
      {curl === null ? null : <Command label="Repeat the request" text={curl} />}
    </div>
  );
}

function placeOf({ where }: ReportedFinding): string {
  return [
    where.function === undefined ? '' : `function “${where.function}”`,
    where.case === undefined ? '' : `case ${where.case}`,
    where.pointer ?? '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function Accepted({ findings }: { readonly findings: readonly ReportedFinding[] }): VNode {
  return (
    <details class="broken accepted">
      <summary>
        <span class="mark accepted">accepted</span> {findings.length}{' '}
        {findings.length === 1 ? 'finding that the baseline accepts' : 'findings that the baseline accepts'}
      </summary>
      <ul>
        {findings.slice(0, MAX_FINDINGS).map((finding, index) => (
          <li key={index}>
            <code>{finding.id}</code> {placeOf(finding)} {finding.message}. Accepted until{' '}
            {finding.accepted?.until}: {finding.accepted?.reason}
          </li>
        ))}
        {findings.length > MAX_FINDINGS ? (
          <li>and {findings.length - MAX_FINDINGS} more, in the JSON result</li>
        ) : null}
      </ul>
    </details>
  );
}

/** Ids hold no character that a fragment would have to escape; own suites may, and then it is no anchor. */
export function anchorOf(id: string): string {
  return `mend-${id.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`;
}
