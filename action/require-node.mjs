// Reports the required Node version, because an older one would fail with an unclear error.

const needed = '20.19.0';

if (isOlder(process.versions.node, needed)) {
  process.stdout.write(
    `::error title=Probity::Node ${process.versions.node} is older than ${needed}, which Probity needs. Add a step with actions/setup-node and a later version before this one.\n`,
  );
  process.exitCode = 2;
}

function isOlder(version, than) {
  const left = version.split('.').map(Number);
  const right = than.split('.').map(Number);
  const differing = left.findIndex((part, index) => part !== right[index]);
  return differing !== -1 && left[differing] < right[differing];
}
