import { describe, expect, test } from 'vitest';
import { parsedFrom } from '../../directory/src/entries/judge-listing.ts';
import { FORMAT_NAMES, renderFormat } from '../../src/check/render/render-format.ts';
import { settingsOf } from '../../src/check/run-settings.ts';
import { wholeListing } from '../../src/suite/listing/parse-listing.ts';
import { listingOf, listingText, testedAs } from '../listing/listings.ts';
import { renderFull } from './render-full.ts';
import { resultWithListing } from './result-with-listing.ts';

describe('the requirements of a listing', () => {
  test('count like all others', () => {
    const { results, summary, verdict, listingDecision, findings } = resultWithListing();
    expect(results.slice(-5).map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      'listing/mcp-support passed',
      'listing/documented-api passed',
      'listing/security-audit failed',
      'listing/open-or-verifiable passed',
      'listing/record passed',
    ]);
    expect(summary).toMatchObject({ failed: 0, warnings: 1, passed: results.length - 1 });
    expect([verdict, listingDecision]).toEqual(['pass', 'list']);
    expect(findings).toMatchObject([
      {
        id: 'listing/security-audit',
        severity: 'warning',
        where: { suite: 'probity.listing.yaml', line: 1, step: 'listing', pointer: '/auditReport' },
        curl: null,
        check: 'probity check http://127.0.0.1:3000 --listing probity.listing.yaml --seed 7',
      },
    ]);
  });

  test('fail the run if they are mandatory, with a finding and line for each field', () => {
    const changes = { name: null, uptime: '500', endpoint: 'http://127.0.0.1:1' };
    const { verdict, listingDecision, findings } = resultWithListing(listingOf(changes));
    expect([verdict, listingDecision]).toEqual(['fail', 'reject']);
    const found = findings.filter(({ id }) => id === 'listing/record');
    const lines = listingText(changes).split('\n');
    expect(found.map(({ where }) => [where.pointer, lines[where.line - 1]?.split(':')[0]])).toEqual([
      ['/uptime', 'uptime'],
      ['/name', 'listing'],
      ['/endpoint', 'endpoint'],
    ]);
    expect(new Set(found.map(({ fingerprint }) => fingerprint)).size).toBe(3);
    expect(found[0]?.check).toContain('--only listing/record');
  });

  test('name no file and no command if a directory stores the listing', async () => {
    const kept = parsedFrom({ ...wholeListing(listingOf()), endpoint: 'http://127.0.0.1:1' });
    const { findings } = resultWithListing(kept);
    expect(findings.map(({ id, where, check }) => [id, where.suite, check])).toEqual(
      ['listing/security-audit', 'listing/record'].map((id) => [id, 'listing of forecast', null]),
    );
    const [shown] = await renderFormat(resultWithListing(kept), 'markdown');
    expect(shown?.text).toContain('listing/security-audit');
    expect(shown?.text).not.toContain('Reproduce');
  });

  test('make the run incomplete while a mandatory one is undecided', () => {
    const { verdict, listingDecision } = resultWithListing(
      listingOf(),
      testedAs({ 'health/status-200': null }),
    );
    expect([verdict, listingDecision]).toEqual(['incomplete', 'hold']);
  });

  test('are those that were selected', () => {
    const settings = settingsOf({
      seed: 7,
      listingGiven: true,
      only: ['health/*', 'listing/*'],
      skip: ['listing/se*'],
    });
    const { listing, results } = resultWithListing(listingOf(), testedAs({}, 'B', { settings }));
    expect(listing?.map(({ requirement }) => requirement)).toEqual([
      'listing/mcp-support',
      'listing/documented-api',
      'listing/open-or-verifiable',
      'listing/record',
    ]);
    expect(results.filter(({ id }) => id.startsWith('listing/'))).toHaveLength(4);
  });
});

describe('every format', () => {
  test.each(FORMAT_NAMES.filter((name) => name !== 'badge' && name !== 'har'))(
    '%s shows what is missing',
    async (format) => {
      const files = await renderFormat(resultWithListing(listingOf({ name: null })), format);
      const text = files.map((file) => file.text).join('');
      expect(text).toContain('listing/record');
    },
  );

  test.each([
    [listingOf(), 'A directory may list it.'],
    [listingOf({ name: null }), 'A directory must not list it'],
    [listingOf({ repository: null, openSource: 'false' }), 'A directory must not list it'],
  ])('for people shows the decision', async (listing, words) => {
    const result = resultWithListing(listing);
    expect(renderFull(result)).toContain(words);
    for (const format of ['markdown', 'html'] as const) {
      const [file] = await renderFormat(result, format);
      expect(file?.text).toContain(words);
    }
  });

  test('for people shows markup of a listing as text', async () => {
    const result = resultWithListing(
      listingOf({ repository: '"https://example.org/<script>alert(1)</script>"' }),
    );
    const [page] = await renderFormat(result, 'html');
    expect(page?.text).not.toContain('<script>alert');
  });
});
