// Loaded into the commands that audit the fleet: names of `fleet.example` are found without a name server. While the
// file of PROBITY_FLEET_OUTAGE exists, the resolver fails for every name.
import dns from 'node:dns';
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const DOMAIN = '.fleet.example';
const LOOK_EVERY_MS = 50;
const lookup = dns.lookup;
const outage = {
  file: process.env.PROBITY_FLEET_OUTAGE ?? '',
  isOn: false,
  seenAtMs: Number.NEGATIVE_INFINITY,
};

dns.lookup = (host, ...rest) => {
  if (!host.endsWith(DOMAIN)) return lookup(host, ...rest);
  const found = rest.at(-1);
  const all = typeof rest[0] === 'object' && rest[0].all === true;
  const address = addressIn(host);
  const code = isOutage() ? 'EAI_AGAIN' : 'ENOTFOUND';
  setImmediate(() => {
    if (isOutage() || address === null)
      found(Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code }));
    else if (all) found(null, [{ address, family: 4 }]);
    else found(null, address, 4);
  });
};
syncBuiltinESMExports();

/** `a-name.127-10-0-1.fleet.example` has the address 127.10.0.1. */
function addressIn(host) {
  const parts = /(?:^|\.)(\d+)-(\d+)-(\d+)-(\d+)$/.exec(host.slice(0, -DOMAIN.length));
  return parts === null ? null : parts.slice(1).join('.');
}

function isOutage() {
  const nowMs = performance.now();
  if (nowMs - outage.seenAtMs >= LOOK_EVERY_MS) {
    outage.isOn = existsSync(outage.file);
    outage.seenAtMs = nowMs;
  }
  return outage.isOn;
}
