import { createKey } from '../../directory/src/accounts/keys.ts';
import { openStore } from '../../directory/src/db/open-store.ts';
import { putEntries } from '../../directory/src/entries/put-entries.ts';
import { listingOf } from '../../directory/test/entries/listings.ts';
import { certify, LOOPBACK_HOSTS } from '../../test/probe/certificates.ts';

export { startCluster } from '../../directory/test/db/cluster.ts';

/** A key with its certificate for loopback, and the authority that issued it, as PEM. */
export async function certificate(): Promise<{ readonly pem: string; readonly authority: string }> {
  const root = await certify({ name: 'bench root', authority: true });
  const leaf = await certify({ name: 'bench', issuer: root, hosts: LOOPBACK_HOSTS });
  return { pem: `${leaf.keyPem}${leaf.pem}`, authority: root.pem };
}

/** Lists targets in a new database, the embedded one without a URL, and returns a key for calls. */
export async function list(
  databaseUrl: string | null,
  dataFolder: string,
  targets: Readonly<Record<string, string>>,
): Promise<string> {
  const store = await openStore({ databaseUrl, dataFolder, share: false });
  try {
    await putEntries(
      store.db,
      Object.entries(targets).map(([id, endpoint]) => ({
        listing: listingOf(id, endpoint, { uptime: 100, responseTime: 1 }),
        first: { decision: 'list', decidedBy: 'operator', rows: [] },
      })),
      new Date(),
    );
    const { key } = await createKey(store.db, { name: 'bench', scopes: ['execute'], expiresAt: null });
    return key;
  } finally {
    await store.close();
  }
}
