// Loaded before the sources, and plain enough for any Node.js that is still about: an older one cannot
// read them, and would end with a word of its own about file extensions.
const OLDEST = 24;
const { node } = process.versions;

if (Number.parseInt(node, 10) < OLDEST) {
  process.stderr.write(
    `Pigeonhole cannot start.\nIt needs Node.js ${OLDEST} or newer, and this is ${node}. Install a newer one and start it again.\n`,
  );
  process.exit(1);
}

// What is compiled is kept for the next start, beside the code: whoever may write there may change the
// code as well. Where nobody may, or NODE_COMPILE_CACHE names another folder, nothing is kept here.
require('node:module').enableCompileCache(`${__dirname}/../node_modules/.cache/compiled`);
