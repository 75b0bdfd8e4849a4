// Tells the benchmark, on file 3, when the process came to its first instruction.
require('node:fs').writeSync(3, `${performance.timeOrigin + performance.now()}\n`);
