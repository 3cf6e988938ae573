import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DirectoryUnderTest, fetchWhole, startDirectory } from '../directory-under-test.ts';

let directory: DirectoryUnderTest;
beforeAll(async () => {
  directory = await startDirectory({ publicPages: true });
  await directory.list('gated', 'https://gated.example');
});
afterAll(() => directory?.stop());

/** The page of a server that asks for a key with these words. */
async function pageWith(challenge: string, metadataUrl: string): Promise<string> {
  const gate = { httpStatus: 401, challenge, metadataUrl, hasKey: false, remedy: 'Set a key.' };
  const { db } = directory.store;
  await db.updateTable('entries').set({ observed: 'gated' }).where('id', '=', 'gated').execute();
  await db
    .updateTable('entry_details')
    .set({ gate: JSON.stringify(gate) })
    .where('entry_id', '=', 'gated')
    .execute();
  return (await fetchWhole(`${directory.url}/servers/gated`)).text();
}

it.each([
  'http://169.254.169.254/latest',
  'http://[::ffff:169.254.169.254]/latest',
  'http://2852039166/latest',
  'http://10.0.0.1/keys',
  'http://localhost:8080/keys',
  'http://router.local/keys',
  'http://intranet/keys',
  'javascript:alert(1)',
  'ftp://files.example.org/keys',
])('a server cannot make its page link to %s', async (address) => {
  const html = await pageWith(address, address);
  expect(html.split(address)).toHaveLength(3);
  expect(html).not.toContain(`href="${address}`);
  expect(html).not.toMatch(/href="(?:javascript|ftp):|href="http:\/\/(?!127\.0\.0\.1)/);
});

it('a public address of a server is a link', async () => {
  const address = 'https://keys.example.org/.well-known/oauth-protected-resource';
  expect(await pageWith('Bearer', address)).toContain(`href="${address}"`);
});
