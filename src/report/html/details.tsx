import type { VNode } from 'preact';
import type { ExchangeView } from '../view/answers.ts';
import type { ReportView } from '../view/report-view.ts';
import { andMore } from '../view/words.ts';
import { exchangeAnchorOf } from './cards.ts';
import { List, Prose } from './elements.tsx';

const MAX_SAMPLES = 20;

export function Details({ view }: { readonly view: ReportView }): VNode {
  const { harness, seed, suites, settings, facts, errors, samples, target } = view;
  const run: readonly (readonly [string, string])[] = [
    ['harness', `${harness.name} ${harness.version}`],
    ['seed', String(seed)],
    ['suites', suites.map(({ id }) => id).join(', ')],
    ['protocol', target.mcpVersion === undefined ? '' : `mcpVersion ${target.mcpVersion}`],
    ['fails on', settings.failOn === 'must' ? 'MUST' : 'SHOULD and MUST'],
    ['only', settings.only.join(', ')],
    ['skipped', settings.skip.join(', ')],
    ['read only', settings.readOnly ? 'yes' : ''],
    ['listing', view.bench === undefined ? listingWords(view) : ''],
    ['started', view.startedAt],
    ['ended', view.finishedAt],
    ['id', view.id],
  ];
  return (
    <section id="details" aria-labelledby="details-title">
      <h2 id="details-title">Details</h2>
      {facts.length === 0 ? null : (
        <>
          <h3>Facts</h3>
          <Pairs pairs={facts.map(({ name, text }) => [name, text])} />
        </>
      )}
      <ListingState view={view} />
      {samples.length === 0 ? null : (
        <>
          <h3>Output samples</h3>
          {samples.slice(0, MAX_SAMPLES).map(({ function: name, input, output, durationMs }, index) => (
            <details key={index} class="sample">
              <summary>
                <code>{name}</code> {durationMs.toFixed(1)} ms
              </summary>
              <p class="label">input</p>
              <pre>
                <code>{input}</code>
              </pre>
              <p class="label">output</p>
              <pre>
                <code>{output}</code>
              </pre>
            </details>
          ))}
        </>
      )}
      {/* The reason why nothing was answered is said above. */}
      {errors.length === 0 || !view.reachable ? null : (
        <>
          <h3>Errors, including expected ones</h3>
          <ul>
            {errors.slice(0, MAX_SAMPLES).map(({ operation, code, message, status, count }, index) => (
              <li key={index}>
                {operation}
                {status === undefined ? '' : ` ${status}`} <code>{code}</code> {message}
                {count > 1 ? ` (${count} times)` : ''}
              </li>
            ))}
            {errors.length > MAX_SAMPLES ? <li>{andMore(errors.length - MAX_SAMPLES, 'error')}</li> : null}
          </ul>
        </>
      )}
      <Exchanges exchanges={view.evidence.exchanges} />
      <h3>The run</h3>
      <Pairs pairs={run.filter(([, text]) => text !== '')} />
    </section>
  );
}

/** Once each, because several requirements are decided from one. The rows of the requirements link to them. */
function Exchanges({ exchanges }: { readonly exchanges: readonly ExchangeView[] }): VNode | null {
  if (exchanges.length === 0) return null;
  return (
    <div class="exchanges">
      <h3>Exchanges behind passed requirements</h3>
      {exchanges.map(({ words, parts }, index) => (
        <details key={index}>
          <summary>{words}</summary>
          {/* A link to something folded unfolds it, also without the script. */}
          <pre id={exchangeAnchorOf(index)}>
            <code>{parts.join('\n\n')}</code>
          </pre>
        </details>
      ))}
    </div>
  );
}

function ListingState({ view }: { readonly view: ReportView }): VNode | null {
  const { listing, decision } = view;
  if (listing === undefined) return null;
  return (
    <>
      <h3>The listing</h3>
      <p>{decision}</p>
      {listing.map(({ requirement, level, outcome, evidence }, index) => (
        <div key={index}>
          <p class="label">
            {requirement} ({level}): {outcome}
          </p>
          <List
            items={evidence.slice(0, MAX_SAMPLES).map((one) => (
              <>
                {one.kind}: {one.text}
                {one.kind === 'found' ? null : <Prose text={`. ${one.remedy}`} />}
              </>
            ))}
          />
        </div>
      ))}
    </>
  );
}

export function Pairs({ pairs }: { readonly pairs: readonly (readonly [string, string])[] }): VNode {
  return (
    <dl class="pairs">
      {pairs.map(([name, text], index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function listingWords({ settings, listing }: ReportView): string {
  const { transports, claimedResponseTimeMs: claimed } = settings;
  const none = listing === undefined ? 'no listing was given' : '';
  const parts = [transports.join(' and '), claimed === null ? none : `response time ${claimed} ms`];
  return parts.filter((part) => part !== '').join('; ');
}
