// Refuses what would fail later with an unclear error: an older Node, and a revision without the built files.
import { existsSync } from 'node:fs';

const needed = '20.19.0';

if (isOlder(process.versions.node, needed)) {
  process.stdout.write(
    `::error title=Probity::Node ${process.versions.node} is older than ${needed}, which Probity needs. Add a step with actions/setup-node and a later version before this one.\n`,
  );
  process.exitCode = 2;
} else if (!existsSync(new URL('../dist/probity.js', import.meta.url))) {
  process.stdout.write(
    '::error title=Probity::This revision of the action has no built files. Use a release of it, such as probity-mcp/probity@v1: the releases contain them.\n',
  );
  process.exitCode = 2;
}

function isOlder(version, than) {
  const left = version.split('.').map(Number);
  const right = than.split('.').map(Number);
  const differing = left.findIndex((part, index) => part !== right[index]);
  return differing !== -1 && left[differing] < right[differing];
}
