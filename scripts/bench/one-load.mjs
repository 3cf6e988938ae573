// One load in a separate process, like the loads of peers: prints its figures, with the CPU time of the process, as
// JSON.
import { prepareLoads } from './load.mjs';

const { url, order, ...how } = JSON.parse(process.argv[2]);
const loads = await prepareLoads([url], how);
const figures = await loads.run(url, order);
await loads.close();
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ ...figures, cpuMs: (user + system) / 1000 }));
