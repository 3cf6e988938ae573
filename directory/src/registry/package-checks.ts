import { sql } from 'kysely';
import { isJsonObject, type JsonObject, type ReportedFinding, type Summary } from 'probity/model';
import { allRows, firstRow, run } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import type { PackageType } from '../settings/settings.ts';

/** `undecided`: it was not run, or gave no answer; `unchecked`: the operator allows no command for it. */
export type PackageVerdict = 'pass' | 'fail' | 'incomplete' | 'undecided' | 'unchecked';

/** The check of the latest version of a package. */
export interface PackageCheck {
  readonly verdict: PackageVerdict;
  /** Why it is undecided. */
  readonly reason: string | null;
  /** The percentage of its functions that gave a result. */
  readonly coverage: number | null;
  readonly summary: Summary | null;
  /** The first ones. */
  readonly findings: readonly PackageFinding[];
}

export type PackageFinding = Pick<ReportedFinding, 'id' | 'severity' | 'outcome' | 'subject' | 'message'>;

/** The servers that are packages: what clients are told to run. */
const IS_PACKAGE = sql.raw(
  `is_followed and is_latest and state = 'shown' and status = 'active' and entry_id is null`,
);

/**
 * Takes the packages of these types whose check is due: those that are new, then those that were checked longest ago. Each
 * is taken once for each document and interval, so that one that ends the whole process is not started forever.
 */
export async function takeDuePackages(
  db: Db,
  types: readonly PackageType[],
  { everyMs, max }: { readonly everyMs: number; readonly max: number },
): Promise<readonly string[]> {
  // The text is what JSON.stringify wrote; PostgreSQL refuses to read some JSON.
  const members = types.map((type) => `"registryType":"${type}"`);
  const rows = await allRows<{ name: string }>(db)`
    with due as (
      select servers.name, md5(document) as document_md5 from registry_servers as servers
      left join package_checks as checks on checks.name = servers.name
      where ${IS_PACKAGE}
        and exists (select from unnest(${members}::text[]) as member where strpos(document, member) > 0)
        and (
          checks.name is null or queued_for <> md5(document)
          or abs(extract(epoch from now() - queued_at)) * 1000 >= ${everyMs}::double precision
        )
      order by queued_at nulls first, servers.name limit ${max}
    )
    insert into package_checks (name, queued_at, queued_for) select name, now(), document_md5 from due
    on conflict (name) do update set queued_at = excluded.queued_at, queued_for = excluded.queued_for
    returning name`;
  return rows.map(({ name }) => name);
}

export interface PackageDocument {
  readonly document: JsonObject;
  readonly md5: string;
}

/** The document of the latest version of a package; null when it is none any more. */
export async function readPackage(db: Db, name: string): Promise<PackageDocument | null> {
  const row = await firstRow<{ document: string; md5: string }>(db)`
    select document, md5(document) as md5 from registry_servers where name = ${name} and ${IS_PACKAGE}`;
  if (row === null) return null;
  const document = JSON.parse(row.document) as unknown;
  return isJsonObject(document) ? { document, md5: row.md5 } : null;
}

/** Stores what a check found. `body` is the whole result, as gzipped JSON. */
export async function keepPackageCheck(
  db: Db,
  name: string,
  { verdict, reason, coverage, summary, findings }: PackageCheck,
  { md5, body }: { readonly md5: string; readonly body: Buffer | null },
): Promise<void> {
  await run(db)`
    update package_checks set checked_at = now(), checked_for = ${md5}, verdict = ${verdict}, reason = ${reason},
      coverage = ${coverage}, summary = ${summary === null ? null : JSON.stringify(summary)},
      findings = ${JSON.stringify(findings)}, body = ${body}
    where name = ${name}`;
}

/** The check of the document that a package has now; null without one. */
export async function readPackageCheck(
  db: Db,
  name: string,
): Promise<(PackageCheck & { readonly checkedAt: Date }) | null> {
  const row = await firstRow<
    Omit<PackageCheck, 'summary' | 'findings'> & { checkedAt: Date; summary: string | null; findings: string }
  >(db)`
    select verdict, reason, coverage, summary, findings, checked_at as "checkedAt"
    from package_checks natural join registry_servers
    where name = ${name} and ${IS_PACKAGE} and checked_for = md5(document)`;
  if (row === null) return null;
  return {
    ...row,
    summary: row.summary === null ? null : (JSON.parse(row.summary) as Summary),
    findings: JSON.parse(row.findings) as readonly PackageFinding[],
  };
}
