// Loaded before the sources, in syntax that any Node.js still in use can read: an older one cannot
// load the sources, and would fail with an unclear message about file extensions.
const OLDEST = 24;
const { node } = process.versions;

if (Number.parseInt(node, 10) < OLDEST) {
  process.stderr.write(
    `Pigeonhole cannot start.\nIt needs Node.js ${OLDEST} or newer, and this is ${node}. Install a newer one and start it again.\n`,
  );
  process.exit(1);
}

// Caches compiled code for the next start beside the sources: whoever may write there may change
// the sources, too. Unused if that folder is not writable or NODE_COMPILE_CACHE names another.
require('node:module').enableCompileCache(`${__dirname}/../node_modules/.cache/compiled`);
