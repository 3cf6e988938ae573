// Keeps a core busy for a number of milliseconds.
const untilMs = performance.now() + Number(process.argv[2]);
while (performance.now() < untilMs);
