// Checks a server from code: like `probity check`, but prints and writes nothing.
import { checkServer, startReferenceServer } from 'probity';

const server = await startReferenceServer({ form: 'B' });

const result = await checkServer(server.url, {
  samples: {
    divide: [{ input: { dividend: 10, divisor: 4 } }, { input: { dividend: 1, divisor: 0 }, fails: true }],
  },
});
await server.close();

console.log(`${result.verdict}: ${result.summary.passed} requirements met`);
for (const { id, level, message, received, fix } of result.findings) {
  console.log(`${level} ${id}: ${message}, received ${received}. ${fix}`);
}
