// Takes what it can get of a core, for so many milliseconds.
const untilMs = performance.now() + Number(process.argv[2]);
while (performance.now() < untilMs);
